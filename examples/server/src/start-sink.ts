import type { Gateway, GatewayStore, Logger } from "@device-gateway/core";
import { startTelemetrySink, type TelemetrySink } from "@device-gateway/telemetry-sink";
import type { Settings } from "./settings/settings.js";

type SinkSettings = Pick<
  Settings,
  "TELEMETRY_SINK_URL" | "TELEMETRY_SINK_TOKEN" | "TELEMETRY_SINK_METRICS"
>;

/** Starts the telemetry sink if it has a URL. Each erased device is logged, because the sink keeps its copy. */
export function startSink(
  { TELEMETRY_SINK_URL: url, TELEMETRY_SINK_TOKEN: token, TELEMETRY_SINK_METRICS }: SinkSettings,
  store: GatewayStore,
  gateway: Pick<Gateway, "on">,
  logger: Logger,
): TelemetrySink | undefined {
  if (url === undefined) return undefined;
  gateway.on("device.erased", ({ deviceId }) => {
    logger.warn(
      { deviceId },
      "A device was erased; the telemetry sink keeps its copy. Delete it there as well",
    );
  });
  return startTelemetrySink(store, {
    url,
    logger,
    ...(token !== undefined && { token }),
    ...(TELEMETRY_SINK_METRICS && { metrics: TELEMETRY_SINK_METRICS }),
  });
}
