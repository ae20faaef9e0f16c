import type { SinkLevels } from "@device-gateway/telemetry-sink";
import { Counter, Gauge, type Registry } from "prom-client";

const prefix = "device_gateway_sink_";

/** Creates the metrics of the telemetry sink. Returns a function that reads its levels and sets them. */
export function createSinkMetrics(readLevels: () => SinkLevels, registry: Registry): () => void {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: prefix + name, help, labelNames, registers });
  const gauge = (name: string, help: string) => new Gauge({ name: prefix + name, help, registers });
  const active = gauge("active", "1 if this process writes to the telemetry sink, else 0.");
  const lag = gauge(
    "lag_seconds",
    "Age of the oldest record that the sink does not have. 0 if another process writes.",
  );
  const records = counter("records_total", "Records by what the sink did: written or skipped.", [
    "outcome",
  ]);
  const dropped = counter("dropped_values_total", "Values of metrics beyond the sink's limits.");
  const failures = counter("failures_total", "Failed attempts to write to the sink.");
  return () => {
    const levels = readLevels();
    for (const one of [records, dropped, failures]) one.reset();
    active.set(levels.isActive ? 1 : 0);
    lag.set(levels.lagSeconds ?? 0);
    records.inc({ outcome: "written" }, levels.written);
    records.inc({ outcome: "skipped" }, levels.skipped);
    dropped.inc(levels.droppedValues);
    failures.inc(levels.failures);
  };
}
