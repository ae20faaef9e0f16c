import type { GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readRecordValues,
  registerSampleDevice,
  sampleRecord,
  sampleTime,
} from "../samples/samples.js";
import { type StoreCase, toCase } from "../samples/store-case.js";

const dayMs = 86_400_000;
const limit = 100;
const deviceId = "gw-1";

/** Prunes in steps, as maintenance does. Returns how many records were deleted. */
async function pruneAll({ telemetry }: GatewayStore, receivedBefore: number): Promise<number> {
  for (let sum = 0; ; ) {
    const deleted = await telemetry.prune({ receivedBefore, limit });
    sum += deleted;
    if (deleted < limit) return sum;
  }
}

/** Cases for `TelemetryStore.prune`. */
export const pruneCases: readonly StoreCase[] = [
  toCase(
    "prune: records that were received while the clock was ahead do not delay the deletion of others",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId);
      const send = async (receivedAt: number, first: number, count: number) => {
        const records = Array.from({ length: count }, (_, n) =>
          sampleRecord({ at: sampleTime + first + n, value: { n: first + n } }),
        );
        await a.telemetry.append({ deviceId, receivedAt, records, once: null });
      };
      const left = async () => (await readRecordValues(b, deviceId)).map(({ n }) => n);
      const ahead = sampleTime + 365 * dayMs;
      await send(ahead, 0, 100);
      await send(sampleTime, 100, 200);
      await send(ahead, 300, 50);
      await send(sampleTime, 350, 50);
      const kept = Array.from({ length: 400 }, (_, n) => n).filter(
        (n) => n < 100 || (n >= 300 && n < 350),
      );
      expect(await pruneAll(b, sampleTime + 2 * dayMs)).toBe(250);
      expect(await left()).toEqual(kept);
      expect(await pruneAll(b, sampleTime + 2 * dayMs)).toBe(0);
      await send(sampleTime, 400, 20);
      expect(await pruneAll(b, sampleTime + 2 * dayMs)).toBe(20);
      expect(await pruneAll(b, ahead)).toBe(0);
      expect(await left()).toEqual(kept);
      expect(await pruneAll(b, ahead + 2 * dayMs)).toBe(150);
      expect(await left()).toEqual([]);
    },
  ),
];
