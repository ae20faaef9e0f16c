import type { GatewayStore } from "@device-gateway/core/store";
import { dayMs, hourMs, minuteMs, recordOf } from "../../fleet.js";
import type { JsonObject } from "../../record.js";
import { registerTemplate } from "./seed-fleet.js";
import type { SeedSet } from "./seed-store.js";

/** Devices with a record a minute: one for a long time, the others for a month. */
export interface SeededHistory {
  readonly owner: string;
  readonly longDevice: string;
  readonly longDays: number;
  readonly monthDevices: readonly string[];
  readonly monthDays: number;
  /** All records are earlier, in epoch milliseconds. */
  readonly end: number;
  readonly records: number;
}

const owner = "owner";
/** Number of record shapes. Devices of one shape send the same values. */
const shapes = 6;

/** Returns the record of a device of this history at a time. */
export const historyValue = (device: number, at: number): JsonObject =>
  recordOf(device % shapes, at, true);

const ownership = { ownerId: owner, claimedAt: 1, visibleFrom: 0 };

/** Time span of one batch. A commit per hour would take longer than everything else. */
const sentAtOnceMs = dayMs / 2;

/** Sends a record a minute from `first` to `end`, exclusive. */
const sender =
  (device: number, first: number, end: number): SeedSet["make"] =>
  async (store, deviceId) => {
    await registerTemplate(store, deviceId, { ownership, ownedBefore: true });
    for (let from = first; from < end; from += sentAtOnceMs) {
      const until = Math.min(end, from + sentAtOnceMs);
      const records = Array.from({ length: (until - from) / minuteMs }, (_, n) => {
        const at = from + n * minuteMs;
        return { at, seq: null, isTimed: true, value: historyValue(device, at) };
      });
      await store.telemetry.append({ deviceId, receivedAt: until, records, once: null });
    }
  };

/** Plans a history: half of the records, at most a year, from one device, and a month each from the others. */
export function planHistory(records: number): { history: SeededHistory; sets: SeedSet[] } {
  const perDay = dayMs / minuteMs;
  const longDays = Math.min(365, Math.max(1, Math.floor(records / 2 / perDay)));
  const monthDays = Math.min(30, longDays);
  const months = Math.max(1, Math.floor((records - longDays * perDay) / (monthDays * perDay)));
  const end = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  const longDevice = "chart-long";
  const monthDevices = Array.from({ length: months }, (_, n) => `chart-${n}`);
  const sets: SeedSet[] = [
    { make: sender(0, end - longDays * dayMs, end), deviceIds: [longDevice] },
  ];
  for (let shape = 0; shape < shapes; shape++) {
    // The long device has index 0, the first of the others index 1.
    const deviceIds = monthDevices.filter((_, n) => (n + 1) % shapes === shape);
    if (deviceIds.length === 0) continue;
    sets.push({ make: sender(shape, end - monthDays * dayMs, end), deviceIds });
  }
  const all = longDays * perDay + months * monthDays * perDay;
  return {
    history: { owner, longDevice, longDays, monthDevices, monthDays, end, records: all },
    sets,
  };
}

/** The records of each device of a large fleet: one in each of two hours. */
export function oldRecords(end: number): { make: SeedSet["make"]; records: number } {
  const hours = [3, 2];
  return {
    records: hours.length,
    async make(store, deviceId) {
      await registerTemplate(store, deviceId);
      for (const ago of hours) {
        const at = end - ago * hourMs;
        const records = [{ at, seq: null, isTimed: true, value: historyValue(0, at) }];
        await store.telemetry.append({ deviceId, receivedAt: at, records, once: null });
      }
    },
  };
}

/** @throws {Error} when a device of the history has more or fewer records than it sent. */
export async function checkHistory(store: GatewayStore, history: SeededHistory): Promise<void> {
  const all = { from: 0, to: history.end, receivedFrom: 0, atMost: 1e9 };
  const perDay = dayMs / minuteMs;
  for (const [n, deviceId] of [history.longDevice, ...history.monthDevices].entries()) {
    const wanted = (n === 0 ? history.longDays : history.monthDays) * perDay;
    const count = await store.telemetry.count({ deviceId, ...all });
    if (count !== wanted) throw new Error(`${deviceId} has ${count} records instead of ${wanted}.`);
  }
}
