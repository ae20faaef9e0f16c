import { bucketStart, hourMs, type TelemetryStore } from "@device-gateway/core/store";
import type { Connection } from "../../database/connection/connection.js";
import type { Session } from "../../database/statement.js";
import { lockDevices } from "../../device/device-numbers.js";
import { countByHour, firstWholeHour, openHours } from "./open-hours.js";
import { rolledUpHours } from "./rollup-rows.js";

/** Records and roll-ups that are looked at in one step, which locks the device. */
const stepRecords = 5_000;
const stepHours = 500;

/** Reopens hours from `first` on within a transaction. Also returns where the next step begins. */
async function reopenSome(session: Session, deviceId: string, first: number, end: number) {
  const device = (await lockDevices(session, [deviceId])).get(deviceId);
  if (device === undefined) return { reopened: 0, kept: 0, next: end };
  const range = { device, from: first, to: end };
  const recorded = await countByHour(session, range, stepRecords);
  const rolledUp = await rolledUpHours(session, { ...range, limit: stepHours });
  const records = recorded.reduce((sum, { count }) => sum + count, 0);
  // An hour is processed once: with all its records, or in the next step.
  const next = Math.min(
    records < stepRecords ? end : Math.max(...recorded.map(({ hour }) => hour)) + hourMs,
    rolledUp.length < stepHours ? end : Math.max(...rolledUp) + hourMs,
  );
  const whole = await firstWholeHour(session);
  const known = [...recorded.map(({ hour }) => hour), ...rolledUp];
  const all = [...new Set(known)].filter((hour) => hour < next);
  const isRolledUp = new Set(rolledUp);
  const reopened = all.filter((hour) => hour >= whole || !isRolledUp.has(hour));
  await openHours(session, device, reopened);
  return { reopened: reopened.length, kept: all.length - reopened.length, next };
}

/**
 * Creates a function that reopens hours in short transactions, because appending waits for the lock
 * of the device.
 */
export const createReopening =
  ({ runSteps, writeStep }: Connection): TelemetryStore["reopenHours"] =>
  ({ deviceId, from, to }) =>
    runSteps(async () => {
      const end = bucketStart(to - 1, hourMs) + hourMs;
      const sum = { reopened: 0, kept: 0 };
      for (let first = bucketStart(from, hourMs); first < end; ) {
        const step = await writeStep((session) => reopenSome(session, deviceId, first, end));
        sum.reopened += step.reopened;
        sum.kept += step.kept;
        first = step.next;
      }
      return sum;
    });
