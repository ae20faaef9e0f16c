export type { SinkLevels } from "./sink-levels.js";
export type { SinkStore, TelemetrySinkOptions } from "./sink-options.js";
export { startTelemetrySink, type TelemetrySink } from "./telemetry-sink.js";
