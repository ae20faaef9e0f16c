import { makeEvent } from "./audit/make-event.js";
import { activityKinds } from "./audit/security-event.js";
import type { GatewayContext } from "./context.js";
import { settleRollouts } from "./ota/update/settle-rollouts.js";
import { timeOutUpdates } from "./ota/update/time-out-updates.js";
import { dayMs, hourMs } from "./shared/durations.js";
import { nextTurn } from "./shared/next-turn.js";

/** An hour ends at most this long after its first record arrives: a timestamp may be five minutes ahead (§4). */
const longestHourMs = 2 * hourMs;
/** Rows in one step. Few enough that requests are not delayed. */
const step = 500;
/** Records in one step. On SQLite, each record may be on a page of its own, and its deletion changes several indexes. */
const recordStep = 100;
/** Devices whose commands are ended in one step, in one transaction that locks them. */
const deviceStep = 50;

/** What one call of `maintain` did. */
export interface MaintenanceReport {
  readonly droppedRegistrations: number;
  /** Roll-up hours that were built, counted for each device. */
  readonly rolledUpHours: number;
  readonly droppedRecords: number;
  /** Updates that ended because the device did not report for too long. */
  readonly timedOutUpdates: number;
}

/** Repeats a step until nothing is left or the signal aborts. Requests are served between two steps. */
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

/**
 * Runs independent steps one after the other, all of them even if some fail.
 * @throws the error if one failed, else an AggregateError.
 */
async function doAll(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works) await work().catch((error: unknown) => failures.push(error));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1)
    throw new AggregateError(failures, "Several steps of maintenance failed. See errors.");
}

/**
 * Builds roll-ups of ended hours. Deletes expired data: registrations that were never used (§1); records, roll-ups, OTA
 * events, updates, cleared alerts, ended commands and events of the event log beyond their retention (§9); attempts
 * outside every budget's window; and changes older than an hour. Ends updates of devices that stopped reporting, and
 * commands that were not fetched or answered in time (§11). Halts rollouts in a store with `settle`. A failed step does
 * not stop the others.
 */
export async function maintain(
  context: GatewayContext,
  signal?: AbortSignal,
): Promise<MaintenanceReport> {
  const { store, clock, limits } = context;
  const now = clock.now();
  const before = now - hourMs;
  const registeredBefore = now - limits.unusedRegistrationDays * dayMs;
  // One day longer than records are accepted: until then a late record may cause its hour to be built again.
  const receivedBefore = now - (limits.telemetryRetentionDays + 1) * dayMs;
  // Charts of whole hours need the roll-up of an hour as long as its records, which may have been sent late, are kept.
  const rolledUpBefore = Math.min(
    now - limits.rollUpRetentionDays * dayMs,
    receivedBefore - limits.telemetryRetentionDays * dayMs,
  );
  const endedBefore = now - limits.commandRetentionDays * dayMs;
  const createdBefore = now - limits.otaEventRetentionDays * dayMs;
  const loggedBefore = now - limits.eventRetentionDays * dayMs;
  const { deviceId: _, ...event } = makeEvent({
    kind: "device.dropped",
    at: now,
    deviceId: "",
    actor: "gateway",
    origin: { requestId: null, clientAddress: null },
  });
  const drop = { deviceId: null, registeredBefore, event };
  const report = {
    droppedRegistrations: 0,
    rolledUpHours: 0,
    droppedRecords: 0,
    timedOutUpdates: 0,
  };
  const repeatSteps = (doStep: (limit: number) => Promise<number>, limit = step) =>
    repeat(async () => {
      const count = await doStep(limit);
      return { count, more: count >= limit };
    }, signal);
  const rollUp = async (endedHoursBefore: number) => {
    report.rolledUpHours += await repeat(async () => {
      const input = { before: endedHoursBefore, limit: step };
      const { built: count, more } = await store.telemetry.rollUp(input);
      return { count, more };
    }, signal);
  };
  await doAll([
    () => repeatSteps((limit) => store.budgets.prune({ before, limit })),
    () => repeatSteps((limit) => store.changes.prune({ before, limit })),
    async () => {
      report.droppedRegistrations = await repeatSteps(
        async (limit) => (await store.devices.dropUnused({ ...drop, limit })).length,
      );
    },
    async () => {
      // No record is deleted before it is in a roll-up. Only the oldest hours have records that are to be deleted, so an
      // hour that is newer can neither stop nor delay the deletion. An hour that cannot be rolled up delays it by a week.
      const unbuilt = await rollUp(receivedBefore + longestHourMs).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      const prune = { receivedBefore: receivedBefore - (unbuilt === null ? 0 : 7 * dayMs) };
      report.droppedRecords = await repeatSteps(
        (limit) => store.telemetry.prune({ ...prune, limit }),
        recordStep,
      );
      if (unbuilt !== null) throw unbuilt.error;
    },
    () => repeatSteps((limit) => store.telemetry.pruneRollUps({ before: rolledUpBefore, limit })),
    () => repeatSteps((limit) => store.alerts.prune({ clearedBefore: createdBefore, limit })),
    () => repeatSteps((limit) => store.otaEvents.prune({ createdBefore, limit })),
    async () => {
      report.timedOutUpdates = await repeatSteps((limit) => timeOutUpdates(context, limit));
    },
    () => settleRollouts(context),
    () => repeatSteps((limit) => store.updates.prune({ movedBefore: createdBefore, limit })),
    () => repeatSteps((limit) => store.commands.endDue({ now, limit }), deviceStep),
    () => repeatSteps((limit) => store.commands.prune({ endedBefore, limit })),
    ...activityKinds.map(
      (kind) => () =>
        repeatSteps((limit) => store.securityEvents.prune({ kind, before: loggedBefore, limit })),
    ),
    // At the end, because an hour may have any number of records.
    () => rollUp(now),
  ]);
  if (signal?.aborted !== true) context.lifecycle.maintainedAt = now;
  return report;
}
