import { createOpenTelemetryTracer, type Tracer } from "@device-gateway/core";
import * as openTelemetry from "@opentelemetry/api";

/**
 * A tracer, if somebody registered a provider of OpenTelemetry before the server, as
 * `node --import ./tracing.mjs` does; else none, since even spans that go nowhere take time.
 */
export function findTracer(): Tracer | undefined {
  const { trace, isSpanContextValid } = openTelemetry;
  const span = trace.getTracer("@device-gateway/example-server").startSpan("start");
  const isRegistered = isSpanContextValid(span.spanContext());
  span.end();
  return isRegistered ? createOpenTelemetryTracer(openTelemetry) : undefined;
}
