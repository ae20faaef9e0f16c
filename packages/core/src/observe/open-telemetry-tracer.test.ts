import { createTestCloud } from "@device-gateway/testing/cloud";
import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createOpenTelemetryTracer, type OpenTelemetryApi } from "./open-telemetry-tracer.js";

const exporter = new InMemorySpanExporter();
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";

/** The part of W3C trace context that this test needs. */
const propagator: api.TextMapPropagator<Record<string, string>> = {
  inject: () => {},
  fields: () => ["traceparent"],
  extract(context, carrier) {
    const [, trace = "", span = ""] = (carrier["traceparent"] ?? "").split("-");
    if (trace === "") return context;
    const parent = { traceId: trace, spanId: span, traceFlags: 1, isRemote: true };
    return api.trace.setSpanContext(context, parent);
  },
};

function register(): void {
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(propagator as api.TextMapPropagator);
}

function unregister(): void {
  api.trace.disable();
  api.context.disable();
  api.propagation.disable();
}

beforeEach(() => exporter.reset());
afterEach(unregister);

async function startCloud(tracing: OpenTelemetryApi<api.Context> = api) {
  const tracer = createOpenTelemetryTracer(tracing);
  const cloud = await createTestCloud({ gateway: { tracer } });
  onTestFinished(() => cloud.close());
  return cloud;
}

test("a request becomes a server span in the caller's trace, with the store calls below it", async () => {
  register();
  const cloud = await startCloud();
  const { token } = await cloud.addDevice({ deviceId: "planted-device" });
  exporter.reset();
  const answer = await cloud.fetch(`${cloud.baseUrl}/api/v1/telemetry`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...{ traceparent: `00-${traceId}-${parentId}-01`, "x-request-id": "my-request" },
    },
    body: '{"soc":1}',
  });
  expect(answer.status).toBe(200);
  const spans = exporter.getFinishedSpans();
  const request = spans.find(({ kind }) => kind === api.SpanKind.SERVER);
  expect(request).toMatchObject({
    name: "POST /telemetry",
    parentSpanContext: { spanId: parentId },
    attributes: {
      "http.request.method": "POST",
      "http.route": "/telemetry",
      "http.response.status_code": 200,
      "device_gateway.request_id": "my-request",
    },
    status: { code: api.SpanStatusCode.UNSET },
  });
  expect(request?.spanContext().traceId).toBe(traceId);
  const append = spans.find(({ name }) => name === "store.telemetry.append");
  expect(append?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  const recorded = spans.map(({ name, attributes, events }) => ({ name, attributes, events }));
  expect(JSON.stringify(recorded)).not.toContain("planted-device");
});

test("spans of failed requests and calls carry the error", async () => {
  register();
  const cloud = await startCloud();
  await cloud.fetch(`${cloud.baseUrl}/nowhere`);
  await cloud.store.close();
  expect((await cloud.fetch(`${cloud.baseUrl}/readyz`)).status).toBe(503);
  expect(exporter.getFinishedSpans()).toMatchObject([
    { name: "GET", attributes: { "error.type": "not_found" }, status: { code: 0 } },
    { name: "store.ping", status: { code: api.SpanStatusCode.ERROR } },
    { name: "GET /readyz", attributes: { "error.type": "unavailable" }, status: { code: 2 } },
  ]);
});

/** Returns OpenTelemetry's API. It notes in `recording`, by the names of the spans, whether they record anything. */
const noteRecording = (recording: Map<string, boolean>): OpenTelemetryApi<api.Context> => ({
  context: api.context,
  propagation: api.propagation,
  trace: {
    getTracer(tracerName) {
      const tracer = api.trace.getTracer(tracerName);
      return {
        startActiveSpan: (name, options, context, work) =>
          tracer.startActiveSpan(name, options, context, (span) => {
            recording.set(name, span.isRecording());
            return work(span);
          }),
      };
    },
  },
});

test("without a provider, spans record nothing, and requests are answered as usual", async () => {
  const recording = new Map<string, boolean>();
  const cloud = await startCloud(noteRecording(recording));
  const { token } = await cloud.addDevice();
  const headers = { authorization: `Bearer ${token}` };
  expect((await cloud.fetch(`${cloud.baseUrl}/api/v1/device/config`, { headers })).status).toBe(
    200,
  );
  expect(recording.get("GET /device/config")).toBe(false);
  expect([...recording.values()]).not.toContain(true);
});
