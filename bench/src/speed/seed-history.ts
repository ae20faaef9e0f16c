import type { GatewayStore } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent } from "@device-gateway/core/testing";
import { dayMs, hourMs, minuteMs, recordOf } from "../fleet.js";
import type { JsonObject } from "../record.js";

/** Devices with a record a minute, one of them for long. */
export interface SeededHistory {
  readonly owner: string;
  readonly longDevice: string;
  readonly longDays: number;
  readonly monthDevices: readonly string[];
  readonly monthDays: number;
  /** All records are measured before it, in epoch milliseconds. */
  readonly end: number;
  readonly records: number;
}

const owner = "owner";
/** Shapes of records; the devices of one shape send the same values. */
const shapes = 6;

/** What a device of this history sent at a time. */
export const historyValue = (device: number, at: number): JsonObject =>
  recordOf(device % shapes, at, true).value;

async function register(store: GatewayStore, deviceId: string): Promise<void> {
  const ownership = { ownerId: owner, claimedAt: 1, visibleFrom: 0 };
  const device = sampleDevice(deviceId, { firstUsedAt: 1, ownership, ownedBefore: true });
  await store.devices.register({ device, event: sampleEvent(deviceId) });
}

/** Appends so many records straight through the port, hour by hour over all devices, and rolls them up. */
export async function seedHistory(
  store: GatewayStore,
  records: number,
  progress: (text: string) => void,
): Promise<SeededHistory> {
  const perDay = dayMs / minuteMs;
  const longDays = Math.min(365, Math.max(1, Math.floor(records / 2 / perDay)));
  const monthDays = Math.min(30, longDays);
  const months = Math.max(1, Math.floor((records - longDays * perDay) / (monthDays * perDay)));
  const end = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  const longDevice = "chart-long";
  const monthDevices = Array.from({ length: months }, (_, n) => `chart-${n}`);
  for (const deviceId of [longDevice, ...monthDevices]) await register(store, deviceId);

  for (let hour = end - longDays * dayMs; hour < end; hour += hourMs) {
    const times = Array.from({ length: hourMs / minuteMs }, (_, n) => hour + n * minuteMs);
    const byShape = Array.from({ length: shapes }, (_, shape) =>
      times.map((at) => ({ at, seq: null, isTimed: true, value: historyValue(shape, at) })),
    );
    const senders = hour < end - monthDays * dayMs ? [longDevice] : [longDevice, ...monthDevices];
    await Promise.all(
      senders.map((deviceId, n) => {
        const sent = byShape[n % shapes] ?? [];
        return store.telemetry.append({
          deviceId,
          receivedAt: hour + hourMs,
          records: sent,
          once: null,
        });
      }),
    );
    if ((end - hour) % (10 * dayMs) === 0)
      progress(`${(end - hour) / dayMs} days of history to go`);
  }
  progress("rolling the history up");
  while ((await store.telemetry.rollUp({ before: Date.now(), limit: 500 })).more);
  return {
    owner,
    longDevice,
    longDays,
    monthDevices,
    monthDays,
    end,
    records: longDays * perDay + months * monthDays * perDay,
  };
}
