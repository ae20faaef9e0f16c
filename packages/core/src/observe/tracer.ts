import type { ErrorCode } from "../contract/index.js";

/** What is known about a request before it is answered. */
export interface TracedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The route's template, such as `/dashboard/devices/:deviceId`. Null: no route matches. */
  readonly path: string | null;
  /** Returns a header by its lower-case name. The caller's trace context is in headers. */
  header(name: string): string | undefined;
}

/** The response to a traced request, and its error code. */
export interface TracedAnswer {
  readonly response: { readonly status: number };
  readonly code: ErrorCode | null;
}

/** Runs work inside spans, so that nested calls become child spans. */
export interface Tracer {
  /** Runs a request inside a span. The span ends when the response, or its first byte, is ready. */
  traceRequest<Answer extends TracedAnswer>(
    request: TracedRequest,
    work: () => Promise<Answer>,
  ): Promise<Answer>;
  /** Runs a call such as `store.telemetry.append` inside a span. A rejection marks the span as failed. */
  traceCall<Outcome>(name: string, work: () => Promise<Outcome>): Promise<Outcome>;
}
