import { makeEvent } from "./audit/make-event.js";
import type { GatewayContext } from "./context.js";
import { timeUpdatesOut } from "./ota/time-updates-out.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** So many rows a step: never a pause that requests would feel. */
const step = 500;

/** What was cleared away. */
export interface MaintenanceReport {
  readonly droppedRegistrations: number;
  /** Hours of devices that were rolled up. */
  readonly rolledUpHours: number;
  readonly droppedRecords: number;
  /** Updates that were ended because nothing was heard of them for too long. */
  readonly timedOutUpdates: number;
}

/** Repeats a step until it says that nothing is left, or the signal comes; others get their turn between. */
async function repeat(
  once: () => Promise<{ readonly count: number; readonly more: boolean }>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let sum = 0;
  while (signal?.aborted !== true) {
    const { count, more } = await once();
    sum += count;
    if (!more) break;
    await new Promise<void>((resolve) => setTimeout(resolve));
  }
  return sum;
}

const counted = (count: number) => ({ count, more: count >= step });

/**
 * Rolls hours up that are over, and clears away what has had its time: registrations that were never
 * used (contract §1), records beyond their retention, tries outside of every budget's window, changes
 * that every process knows of, OTA events and updates that are old. Ends updates of which nothing is heard.
 */
export async function maintain(
  context: GatewayContext,
  signal?: AbortSignal,
): Promise<MaintenanceReport> {
  const { store, clock, limits } = context;
  const now = clock.now();
  const registeredBefore = now - limits.unusedRegistrationDays * dayMs;
  const { deviceId: _, ...event } = makeEvent({
    kind: "device.dropped",
    at: now,
    deviceId: "",
    actor: "gateway",
    origin: { requestId: null, clientAddress: null },
  });
  const before = now - hourMs;
  await repeat(async () => counted(await store.budgets.prune({ before, limit: step })), signal);
  await repeat(async () => counted(await store.changes.prune({ before, limit: step })), signal);
  const droppedRegistrations = await repeat(async () => {
    const drop = { deviceId: null, registeredBefore, limit: step, event };
    return counted((await store.devices.dropUnused(drop)).length);
  }, signal);
  // Before records are dropped, so that none is dropped that is in no roll-up.
  const rolledUpHours = await repeat(async () => {
    const { built: count, more } = await store.telemetry.rollUp({ before: now, limit: step });
    return { count, more };
  }, signal);
  // A day more than what is accepted: until then a late record can have its hour built anew.
  const receivedBefore = now - (limits.telemetryRetentionDays + 1) * dayMs;
  const droppedRecords = await repeat(
    async () => counted(await store.telemetry.prune({ receivedBefore, limit: step })),
    signal,
  );
  const rolledUpBefore = now - limits.rollUpRetentionDays * dayMs;
  await repeat(async () => {
    const prune = { before: rolledUpBefore, limit: step };
    return counted(await store.telemetry.pruneRollUps(prune));
  }, signal);
  const createdBefore = now - limits.otaEventRetentionDays * dayMs;
  await repeat(
    async () => counted(await store.otaEvents.prune({ createdBefore, limit: step })),
    signal,
  );
  const timedOutUpdates = await repeat(
    async () => counted(await timeUpdatesOut(context, step)),
    signal,
  );
  await repeat(
    async () => counted(await store.updates.prune({ movedBefore: createdBefore, limit: step })),
    signal,
  );
  if (signal?.aborted !== true) context.life.maintainedAt = now;
  return { droppedRegistrations, rolledUpHours, droppedRecords, timedOutUpdates };
}
