import {
  type AppendInput,
  type AppendOutcome,
  coalesce,
  type OtaReport,
} from "@device-gateway/core/store";
import { commitSoon, type StartCommit } from "./commit-turns.js";

type Append = (input: AppendInput) => Promise<AppendOutcome>;

/** Largest weight of a commit. A record weighs 1. */
const commitWeight = 2_000;
/** As many records as one request can have, so that no turn of the event loop has more of them. */
const manyWeight = 500;
/** An input with so many records takes a multiple of the time of a usual commit. */
const manyRecords = 100;
/** Inputs that may wait in each queue. */
const queueSize = 4_096;
/** An OTA status that changed takes statements of its own, and as long as this many records. */
const statusWeight = 50;

/** Leaves out each status that repeats the one before it: reporting it would change nothing. */
export const withoutRepeats = (reports: readonly OtaReport[]) =>
  reports.filter(({ fingerprint }, n) => fingerprint !== reports[n - 1]?.fingerprint);

function weigh({ records, otaStatuses = [] }: AppendInput): number {
  return 1 + records.length + statusWeight * withoutRepeats(otaStatuses).length;
}

/** A device with inputs in one of the slow queues. */
interface SlowDevice {
  readonly append: Append;
  inputs: number;
}

/**
 * Creates the function that appends inputs in shared commits. Inputs with few records, with many records, and with
 * changed OTA statuses have a queue each, so that none waits for slower ones or fails with them.
 */
export function createAppendQueues(
  commit: (inputs: readonly AppendInput[]) => Promise<readonly AppendOutcome[]>,
  startCommit: StartCommit,
): Append {
  const createQueue = (batchWeight: number, defer: StartCommit) =>
    coalesce({
      ...{ commit, weigh, batchWeight, queueSize, defer },
      senderOf: ({ deviceId }) => deviceId,
    });
  const appendFew = createQueue(commitWeight, startCommit);
  const appendMany = createQueue(manyWeight, commitSoon);
  const appendStatuses = createQueue(commitWeight, commitSoon);
  // Further inputs of these devices join the same queue: in another one, a commit would wait for the lock of their row.
  const slowDevices = new Map<string, SlowDevice>();

  function slowDeviceOf({ deviceId, records, otaStatuses }: AppendInput): SlowDevice | undefined {
    const known = slowDevices.get(deviceId);
    if (known !== undefined) return known;
    if (otaStatuses === undefined && records.length < manyRecords) return undefined;
    const append = otaStatuses === undefined ? appendMany : appendStatuses;
    const device = { append, inputs: 0 };
    slowDevices.set(deviceId, device);
    return device;
  }

  return async (input) => {
    const device = slowDeviceOf(input);
    if (device === undefined) return appendFew(input);
    device.inputs += 1;
    try {
      return await device.append(input);
    } finally {
      device.inputs -= 1;
      if (device.inputs === 0) slowDevices.delete(input.deviceId);
    }
  };
}
