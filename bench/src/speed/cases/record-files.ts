import type { SpeedSetup } from "../contender.js";
import {
  type RequestFiles,
  recordsPerBatch,
  writeBatchBodies,
  writeRecordBodies,
} from "../fleet-requests.js";

const path = "/api/v1/telemetry";

/** Writes requests of one record each, with slightly more bodies than devices. */
export function recordFiles({ folder, fleet }: SpeedSetup): RequestFiles {
  const bodies = writeRecordBodies(folder, Math.ceil(fleet.deviceIds.length * 1.2));
  return { devices: fleet.devicesFile, bodies, path, recordsPerRequest: 1 };
}

/** Writes requests of 100 records each. */
export function batchFiles({ folder, fleet }: SpeedSetup): RequestFiles {
  const bodies = writeBatchBodies(folder, 120, Date.now());
  return { devices: fleet.devicesFile, bodies, path, recordsPerRequest: recordsPerBatch };
}
