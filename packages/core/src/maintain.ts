import { makeEvent } from "./audit/make-event.js";
import type { GatewayContext } from "./context.js";
import { timeUpdatesOut } from "./ota/update/time-updates-out.js";
import { nextTurn } from "./shared/next-turn.js";

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
    await nextTurn();
  }
  return sum;
}

/** Does all of some work that does not depend on each other. @throws what one threw, or all of it together. */
async function doAll(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works) await work().catch((error: unknown) => failures.push(error));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, "Several steps failed.");
}

const counted = (count: number) => ({ count, more: count >= step });

/**
 * Rolls hours up that are over, and clears away what has had its time: registrations that were never
 * used (contract §1), records beyond their retention, tries outside of every budget's window, changes
 * that every process knows of, OTA events and updates that are old. Ends updates of which nothing is heard.
 * A step that fails keeps none of the others from its work.
 */
export async function maintain(
  context: GatewayContext,
  signal?: AbortSignal,
): Promise<MaintenanceReport> {
  const { store, clock, limits } = context;
  const now = clock.now();
  const before = now - hourMs;
  const registeredBefore = now - limits.unusedRegistrationDays * dayMs;
  // A day more than what is accepted: until then a late record can have its hour built anew.
  const receivedBefore = now - (limits.telemetryRetentionDays + 1) * dayMs;
  const rolledUpBefore = now - limits.rollUpRetentionDays * dayMs;
  const createdBefore = now - limits.otaEventRetentionDays * dayMs;
  const { deviceId: _, ...event } = makeEvent({
    kind: "device.dropped",
    at: now,
    deviceId: "",
    actor: "gateway",
    origin: { requestId: null, clientAddress: null },
  });
  const drop = { deviceId: null, registeredBefore, limit: step, event };
  const report = {
    droppedRegistrations: 0,
    rolledUpHours: 0,
    droppedRecords: 0,
    timedOutUpdates: 0,
  };
  const clear = (some: () => Promise<number>) => repeat(async () => counted(await some()), signal);
  await doAll([
    () => clear(() => store.budgets.prune({ before, limit: step })),
    () => clear(() => store.changes.prune({ before, limit: step })),
    async () => {
      report.droppedRegistrations = await clear(
        async () => (await store.devices.dropUnused(drop)).length,
      );
    },
    async () => {
      report.rolledUpHours = await repeat(async () => {
        const { built: count, more } = await store.telemetry.rollUp({ before: now, limit: step });
        return { count, more };
      }, signal);
      // Only now, so that none is dropped that is in no roll-up.
      report.droppedRecords = await clear(() =>
        store.telemetry.prune({ receivedBefore, limit: step }),
      );
    },
    () => clear(() => store.telemetry.pruneRollUps({ before: rolledUpBefore, limit: step })),
    () => clear(() => store.otaEvents.prune({ createdBefore, limit: step })),
    async () => {
      report.timedOutUpdates = await clear(() => timeUpdatesOut(context, step));
    },
    () => clear(() => store.updates.prune({ movedBefore: createdBefore, limit: step })),
  ]);
  if (signal?.aborted !== true) context.lifecycle.maintainedAt = now;
  return report;
}
