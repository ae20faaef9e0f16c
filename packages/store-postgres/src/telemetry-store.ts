import type { TelemetryStore } from "@device-gateway/core/store";
import type { Connection } from "./connection.js";
export function createTelemetryStore(_: Connection): TelemetryStore {
  throw new Error("todo");
}
