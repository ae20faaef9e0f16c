import type { Gateway, Logger } from "@device-gateway/core";
import type { Settings } from "../settings/settings.js";
import { createMetrics, type MetricSources } from "./create-metrics.js";
import { type MetricsServer, serveMetrics } from "./serve-metrics.js";

/** Serves the metrics on a port of their own, if METRICS_PORT is set. */
export async function startMetrics(
  { METRICS_HOST: HOST, METRICS_PORT: PORT }: Settings,
  gateway: Gateway,
  sources: MetricSources,
  logger: Logger,
): Promise<MetricsServer | undefined> {
  if (PORT === undefined) return undefined;
  return serveMetrics({ HOST, PORT }, createMetrics(gateway, sources), logger);
}
