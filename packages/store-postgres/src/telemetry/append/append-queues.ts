import {
  type AppendInput,
  type AppendOutcome,
  coalesce,
  type OtaReport,
} from "@device-gateway/core/store";
import { commitSoon, type StartCommit } from "./commit-turns.js";

type Append = (input: AppendInput) => Promise<AppendOutcome>;

/** Largest weight of a commit. A record weighs 1, except where changed OTA statuses wait. */
const commitWeight = 2_000;
/** Largest weight of a commit in the queue of many records: as many records as one request can have. */
const manyWeight = 500;
/** The weight of a record where changed OTA statuses wait. So a commit of them also has at most `manyWeight` records. */
const heavyRecord = commitWeight / manyWeight;
/** This many records of one device take several times as long as a usual commit. */
const manyRecords = 100;
/** Inputs that may wait in each queue. */
const queueSize = 4_096;
/** An OTA status that changed needs statements of its own, and takes as long as this many records. */
const statusWeight = 50;

/** Leaves out each status that repeats the one before it: reporting it would change nothing. */
export const withoutRepeats = (reports: readonly OtaReport[]) =>
  reports.filter(({ fingerprint }, n) => fingerprint !== reports[n - 1]?.fingerprint);

function weigh({ records, otaReports = [] }: AppendInput, recordWeight: number): number {
  return 1 + recordWeight * records.length + statusWeight * withoutRepeats(otaReports).length;
}

/** A device with inputs that are not appended yet. */
interface ActiveDevice {
  append: Append;
  isSlow: boolean;
  inputs: number;
  records: number;
  /** Resolves when its inputs in the queue of few records are appended. */
  fewAppended: Promise<void>;
}

const ignore = () => {};

/**
 * Creates the function that appends inputs in shared commits. Devices with few records, with many records, and with
 * changed OTA statuses have a queue each, so that none waits for slower ones or fails with them. All waiting inputs of a
 * device are in one queue: a commit of another one would wait for the lock of the device's row. Therefore the
 * queue of changed OTA statuses can have many records too.
 */
export function createAppendQueues(
  commit: (inputs: readonly AppendInput[]) => Promise<readonly AppendOutcome[]>,
  startCommit: StartCommit,
): Append {
  const createQueue = (batchWeight: number, defer: StartCommit, recordWeight = 1) =>
    coalesce({
      ...{ commit, batchWeight, queueSize, defer },
      weigh: (input) => weigh(input, recordWeight),
      senderOf: ({ deviceId }) => deviceId,
    });
  const appendFew = createQueue(commitWeight, startCommit);
  const appendMany = createQueue(manyWeight, commitSoon);
  const appendStatuses = createQueue(commitWeight, commitSoon, heavyRecord);
  const active = new Map<string, ActiveDevice>();

  /** Moves the device to a slow queue, where its next input waits until those in the queue of few records are appended. */
  function slowDown(device: ActiveDevice, queue: Append): void {
    const { fewAppended } = device;
    device.isSlow = true;
    device.append = async (input) => {
      await fewAppended;
      return queue(input);
    };
  }

  function activate({ deviceId, records, otaReports }: AppendInput): ActiveDevice {
    const device: ActiveDevice = active.get(deviceId) ?? {
      ...{ append: appendFew, isSlow: false, inputs: 0, records: 0 },
      fewAppended: Promise.resolve(),
    };
    active.set(deviceId, device);
    device.inputs += 1;
    device.records += records.length;
    if (device.isSlow) return device;
    if (device.records >= manyRecords) slowDown(device, appendMany);
    else if (otaReports !== undefined) slowDown(device, appendStatuses);
    return device;
  }

  return async (input) => {
    const device = activate(input);
    const appended = device.append(input);
    if (!device.isSlow) {
      const { fewAppended } = device;
      device.fewAppended = appended.then(ignore, ignore).then(() => fewAppended);
    }
    try {
      return await appended;
    } finally {
      device.inputs -= 1;
      device.records -= input.records.length;
      if (device.inputs === 0) active.delete(input.deviceId);
    }
  };
}
