import { setTimeout as wait } from "node:timers/promises";
import { createDevice } from "@device-gateway/device-client";
import { createDice } from "../dice.js";

const hourMs = 3_600_000;
/** Long enough that nothing but a bug could end it. */
const retry = { tries: 1_000, baseMs: 10, maxMs: 100 };

/** Devices that measure all the time and send again until they hear that it is kept. */
export interface Recorders {
  /** What they heard was kept, by device, since the last `forget`. */
  readonly acknowledged: ReadonlyMap<string, readonly string[]>;
  /** From here on only what comes later is expected to be there. */
  forget(): void;
  /** Sends what waits, and ends. */
  stop(): Promise<void>;
}

export interface RecordersOptions {
  readonly baseUrl: string;
  readonly seed: number;
  readonly devices: readonly string[];
  readonly now: () => number;
}

/** Records lie up to twenty hours back, so that there is always an hour to roll up. */
export function startRecorders({ baseUrl, seed, devices, now }: RecordersOptions): Recorders {
  const acknowledged = new Map<string, string[]>(devices.map((device) => [device, []]));
  let [stopping, generation] = [false, 0];

  async function drive(deviceId: string, lane: number): Promise<void> {
    const dice = createDice(seed + lane);
    const device = createDevice({
      baseUrl,
      identity: { deviceId, hardwareId: "esp32", firmwareVersion: "1.0.0", claimCode: "ABCD-EFGH" },
      retry,
      clock: { now },
    });
    for (let n = 0; !stopping; n++) {
      const begun = generation;
      const readings = Array.from({ length: 1 + dice.int(5) }, (_, i) => `${n}-${i}`);
      const records = readings.map((reading) => ({
        reading,
        temperature: dice.int(400) / 10,
        note: "x".repeat(dice.int(1_500)),
        timestamp: new Date(now() - dice.int(20) * hourMs).toISOString(),
      }));
      (await device.record(...records))._unsafeUnwrap();
      for (;;) {
        const flushed = await device.flush();
        if (flushed.isOk()) {
          const { rejected, refused } = flushed.value;
          // After a leap of the clock they may be too old.
          if (rejected + refused > 0 && begun === generation) {
            throw new Error(`${rejected + refused} records were refused.`);
          }
          break;
        }
        const { error } = flushed;
        const isPassing = error.code === "network" || "retryAfterSeconds" in error;
        // A leap of the clock ends even the token that this very call has just signed in for.
        const leapt = begun !== generation;
        if (!isPassing && !leapt) throw new Error(`${error.code}: ${error.message}`);
        // Its patience ends where more is asked for; this one asks again all the same.
        await wait(50);
      }
      // What was under way at a `forget` may have come before it or after.
      if (begun === generation) acknowledged.get(deviceId)?.push(...readings);
      await wait(dice.int(8));
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
      await Promise.all(lanes);
    },
  };
}
