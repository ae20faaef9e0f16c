import type { GatewayReads } from "@device-gateway/core/store";
import { readLineage } from "../database/changes/lineage.js";
import type { Connection } from "../database/connection/connection.js";
import { findInLineage } from "../device/device-numbers.js";
import { countStates } from "../ota/update-store.js";
import type { FindDevice } from "../telemetry/device-rows.js";
import type { ShapeRows } from "../telemetry/shapes/shape-rows.js";
import { createTelemetryReads } from "../telemetry/telemetry-reads.js";
import type { ReadReplica, ReplicaPin } from "./read-replica.js";

/** Finds a device on the primary, and its rows on the replica. */
const findDeviceVia =
  ({ readStep }: Connection, pin: ReplicaPin): FindDevice =>
  async (deviceId, deadline) => {
    const found = await readStep((session) => findInLineage(session, deviceId), deadline);
    if (found === undefined) return undefined;
    const { number, lineage } = found;
    const facts = { lineage, device: { deviceId, number } };
    return { device: number, readStep: (work, until) => pin.readStep(facts, work, until) };
  };

/** Creates the function that begins reads. They come from the replica if it is fit, else from `current`. */
export function createReads(
  connection: Connection,
  replica: ReadReplica,
  shapes: ShapeRows,
  current: GatewayReads,
): () => Promise<GatewayReads> {
  const { runSteps, readStep } = connection;
  return async () => {
    const pin = await replica.pin();
    if (pin === undefined) return current;
    return {
      telemetry: createTelemetryReads(connection, findDeviceVia(connection, pin), shapes),
      updates: {
        counts: (releaseId) =>
          runSteps(async () => {
            const lineage = await readStep(readLineage);
            return pin.readStep({ lineage }, (session) => countStates(session, releaseId));
          }),
      },
      lagMs: pin.lagMs,
    };
  };
}
