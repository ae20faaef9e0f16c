import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "@device-gateway/core/store";
import { createDevice } from "@device-gateway/device-client";
import { createDice, type Dice } from "../dice.js";
import { countUnfinished } from "./bounded-wait.js";

const hourMs = 3_600_000;
/** Enough attempts that a device gives up only because of a bug. */
const retry = { tries: 1_000, baseMs: 10, maxMs: 100 };

/** Devices that record all the time and retry until their records are acknowledged. */
export interface Recorders {
  /** Acknowledged readings since the last `forget`, by device. */
  readonly acknowledged: ReadonlyMap<string, readonly string[]>;
  /** Forgets all acknowledged readings. Only later ones must be stored. */
  forget(): void;
  /**
   * Sends what is left and stops, but does not wait forever: a server that never recovers must be reported. Returns how
   * many devices have a record that was not acknowledged.
   */
  stop(): Promise<number>;
}

export interface RecordersOptions {
  readonly baseUrl: string;
  readonly seed: number;
  readonly devices: readonly string[];
  readonly now: () => number;
  /**
   * Called for each record, in the order in which a device sends them. Default: records that are up to 20 hours old.
   */
  readonly createRecord?: (deviceId: string, reading: string) => JsonObject;
  /** Each device sends at least so many batches, the first of one record. Default: 0. */
  readonly leastBatches?: number;
  /** A device sends its second batch when this resolves. Default: at once. */
  readonly whenFirstIsStored?: (deviceId: string) => Promise<void>;
  /** The longest pause between two batches, in milliseconds. Default: 8. */
  readonly pauseMs?: number;
}

/** Creates a record with a timestamp that is up to 20 hours old, so that there is always an hour to roll up. */
const createOldRecord = (reading: string, now: number, dice: Dice): JsonObject => ({
  reading,
  temperature: dice.int(400) / 10,
  note: "x".repeat(dice.int(1_500)),
  timestamp: new Date(now - dice.int(20) * hourMs).toISOString(),
});

/** Starts devices that record until they are stopped. */
export function startRecorders(options: RecordersOptions): Recorders {
  const { baseUrl, seed, devices, now, leastBatches = 0, pauseMs = 8 } = options;
  const acknowledged = new Map<string, string[]>(devices.map((device) => [device, []]));
  let [stopping, gaveUp, generation] = [false, false, 0];

  async function drive(deviceId: string, lane: number): Promise<void> {
    const dice = createDice(seed + lane);
    const device = createDevice({
      baseUrl,
      identity: { deviceId, hardwareId: "esp32", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" },
      retry,
      clock: { now },
    });
    const createRecord = (reading: string) =>
      options.createRecord?.(deviceId, reading) ?? createOldRecord(reading, now(), dice);
    for (let n = 0; !stopping || n < leastBatches; n++) {
      const ownGeneration = generation;
      const length = n === 0 && leastBatches > 0 ? 1 : 1 + dice.int(5);
      const readings = Array.from({ length }, (_, i) => `${n}-${i}`);
      const records = readings.map(createRecord);
      (await device.record(...records))._unsafeUnwrap();
      for (;;) {
        const flushed = await device.flush();
        if (flushed.isOk()) {
          const { rejected, refused } = flushed.value;
          // After a jump of the clock, records may be too old.
          if (rejected + refused > 0 && ownGeneration === generation) {
            throw new Error(`${rejected + refused} records were refused.`);
          }
          break;
        }
        const { error } = flushed;
        const isTemporary = error.code === "network" || "retryAfterSeconds" in error;
        // A jump of the clock expires even the token that this call has just obtained.
        const clockJumped = ownGeneration !== generation;
        if (gaveUp) return;
        if (!isTemporary && !clockJumped) throw new Error(`${error.code}: ${error.message}`);
        // The client stops retrying after a while. This test always retries.
        await wait(50);
      }
      // Readings that were in flight at a `forget` may have been stored before it or after.
      if (ownGeneration === generation) acknowledged.get(deviceId)?.push(...readings);
      if (n === 0) await options.whenFirstIsStored?.(deviceId);
      await wait(dice.int(pauseMs));
    }
  }
  const lanes = devices.map(drive);
  return {
    acknowledged,
    forget() {
      generation += 1;
      for (const readings of acknowledged.values()) readings.length = 0;
    },
    async stop() {
      stopping = true;
      const unfinished = await countUnfinished(lanes);
      gaveUp = true;
      return unfinished;
    },
  };
}
