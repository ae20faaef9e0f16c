import { createOpenTelemetryTracer, type Tracer } from "@device-gateway/core";
import * as openTelemetry from "@opentelemetry/api";

/**
 * Returns a tracer if an OpenTelemetry provider was registered before the server started, for example by
 * `node --import ./tracing.mjs`. Otherwise returns none, because even unused spans take time.
 */
export function findTracer(): Tracer | undefined {
  const { trace, isSpanContextValid } = openTelemetry;
  const span = trace.getTracer("@device-gateway/example-server").startSpan("start");
  const isRegistered = isSpanContextValid(span.spanContext());
  span.end();
  return isRegistered ? createOpenTelemetryTracer(openTelemetry) : undefined;
}
