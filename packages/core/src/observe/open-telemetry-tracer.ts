import { UnwantedWorkError } from "../shared/unwanted-work-error.js";
import type { Tracer } from "./tracer.js";

type Attributes = Readonly<Record<string, string | number>>;

interface Span {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { code: number }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** The part of `@opentelemetry/api` 1.x that the tracer uses. Pass the module's namespace. */
export interface OpenTelemetryApi<Context> {
  readonly trace: {
    getTracer(name: string): {
      startActiveSpan<Outcome>(
        name: string,
        options: { kind: number; attributes?: Attributes },
        context: Context,
        work: (span: Span) => Outcome,
      ): Outcome;
    };
  };
  readonly context: { active(): Context };
  readonly propagation: { extract(context: Context, carrier: object): Context };
}

/** `SpanKind` and `SpanStatusCode` of OpenTelemetry. */
const internal = 0;
const server = 1;
const failed = 2;

const traceHeaders = ["traceparent", "tracestate", "baggage"] as const;

/**
 * Creates a tracer from OpenTelemetry's API. Requests become server spans that follow its HTTP conventions, with
 * the store calls below them. While no provider is registered, the API does nothing.
 * @example
 * ```ts
 * import * as api from "@opentelemetry/api";
 * const gateway = await createGateway({ store, secrets, tracer: createOpenTelemetryTracer(api) });
 * ```
 */
export function createOpenTelemetryTracer<Context>(api: OpenTelemetryApi<Context>): Tracer {
  const tracer = api.trace.getTracer("@device-gateway/core");
  return {
    traceRequest({ requestId, method, path, header }, work) {
      const carrier = Object.fromEntries(
        traceHeaders.flatMap((name) => {
          const value = header(name);
          return value === undefined ? [] : [[name, value]];
        }),
      );
      const attributes = {
        "http.request.method": method,
        ...(path !== null && { "http.route": path }),
        "device_gateway.request_id": requestId,
      };
      const name = path === null ? method : `${method} ${path}`;
      const context = api.propagation.extract(api.context.active(), carrier);
      return tracer.startActiveSpan(name, { kind: server, attributes }, context, async (span) => {
        try {
          const answer = await work();
          const { status } = answer.response;
          span.setAttribute("http.response.status_code", status);
          if (answer.code !== null) span.setAttribute("error.type", answer.code);
          if (status >= 500) span.setStatus({ code: failed });
          return answer;
        } finally {
          span.end();
        }
      });
    },
    traceCall: (name, work) =>
      tracer.startActiveSpan(name, { kind: internal }, api.context.active(), async (span) => {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof UnwantedWorkError)) {
            span.setStatus({ code: failed });
            if (error instanceof Error) span.recordException(error);
          }
          throw error;
        } finally {
          span.end();
        }
      }),
  };
}
