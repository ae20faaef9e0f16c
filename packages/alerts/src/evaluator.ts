import {
  type AlertRule,
  type Clock,
  type Device,
  type DueDevice,
  type GatewayStore,
  type Logger,
  nextTurn,
} from "@device-gateway/core/store";
import { countFrom, type FleetNotes, isBeating } from "./fleet/fleet-notes.js";
import { createFleetSilence } from "./fleet/fleet-silence.js";
import { createFleetWatch } from "./fleet/fleet-watch.js";
import { appliesTo } from "./judgement/applies-to.js";
import { type FailedJudgement, findOutage } from "./judgement/failed-judgements.js";
import { isNew, judgeDevice } from "./judgement/judge-device.js";
import { judgedKinds, judgeEvents } from "./judgement/judge-events.js";
import { isLevelRule } from "./judgement/judge-levels.js";
import { createTransitions } from "./judgement/transitions.js";
import { readNotes, type WatchNotes } from "./judgement/watch-notes.js";

/**
 * Devices that one page looks at, and those of them that are judged at once. Each judgement begins in a turn of the event
 * loop of its own, because a store in the same process answers without leaving the turn.
 */
const pageSize = 200;
const mostAtOnce = 16;
/**
 * Records that are judged together: as many as one request can have, because they are judged in order of measurement.
 */
const recordsAtOnce = 500;
/** Events that one step reads. */
const eventsAtOnce = 50;
/** Steps that judge events before the devices are judged. Each writes what it judged. */
const eventSteps = 10;
/** How often the heartbeat is written, in milliseconds. */
const beatMs = 10_000;

export interface EvaluatorOptions {
  readonly store: GatewayStore;
  /** Returns the interval at which a device sends, in seconds. */
  readonly intervalOf: (device: Device) => number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** If the service did not evaluate for this long, silence counts from its return on. */
  readonly outageMs: number;
  /** How long after the deadline an alert about silence fires. */
  readonly settleMs: number;
  /**
   * If more than this share of the watched devices is silent, one alert of the operators replaces those about silence.
   */
  readonly fleetShare: number;
  /** Whether to write events when devices go online and offline. */
  readonly presence: boolean;
  readonly newId: () => string;
}

export interface Round {
  /** Devices that were judged. */
  readonly judged: number;
  /** How long it took to find them, in milliseconds. */
  readonly lookedMs: number;
}

export interface Evaluator {
  /** Judges all events and devices that are due. */
  evaluate(signal?: AbortSignal): Promise<Round>;
}

/** What became of the devices of a page. */
interface JudgedPage {
  readonly judged: number;
  /** Null: at most single devices could not be judged. */
  readonly outage: FailedJudgement | null;
}

/** Whether single devices may fire alerts about silence, as the last whole round found it. */
interface Silence {
  readonly countedAt: number;
  /** One alert of the fleet replaces those of single devices. */
  readonly isOfFleet: boolean;
}

/** Creates the evaluator. Any number of processes may evaluate: each judgement happens once. */
export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { store, intervalOf, clock, logger, outageMs, settleMs, fleetShare, newId } = options;
  const { presence } = options;
  const { alerts } = store;
  const fleet = createFleetWatch(store, clock);
  const judgeFleetSilence = createFleetSilence({ alerts, fleet, fleetShare, clock, newId });
  let silence: Silence | null = null;
  let countedFrom = 0;

  /**
   * Judges the events since the last call, in at most `mostSteps` steps. Returns the fleet's notes, and whether more
   * events wait.
   */
  async function followEvents(
    mostSteps: number,
  ): Promise<{ readonly notes: FleetNotes; readonly hasMore: boolean }> {
    for (let step = 1; ; step++) {
      const { watch, notes } = await fleet.find();
      const events = await store.securityEvents.list({
        ...{ after: notes.eventId, limit: eventsAtOnce, kinds: judgedKinds },
      });
      if (events.length === 0 && watch !== null) return { notes, hasMore: false };
      const now = clock.now();
      const create = createTransitions(now, newId);
      const { transitions, judged } = await judgeEvents(store, events, now, create);
      const next = { ...notes, eventId: events[judged - 1]?.id ?? notes.eventId };
      await fleet.judge(watch, next, transitions);
      const hasMore = judged < events.length || events.length === eventsAtOnce;
      if (!hasMore || step >= mostSteps) return { notes: next, hasMore };
    }
  }

  /**
   * Writes the heartbeat if it is old. A round that fails writes none, because the devices of at least one database were
   * not judged.
   */
  async function writeHeartbeat(): Promise<void> {
    const { watch, notes } = await fleet.find();
    const now = clock.now();
    if (isBeating(notes, now, beatMs)) return;
    if (countedFrom !== notes.countedFrom) {
      logger.info(
        { since: notes.beatAt },
        "Alerts were not evaluated for a while. Silence of devices counts from the first round after that",
      );
    }
    await fleet.judge(watch, { ...notes, beatAt: now, countedFrom });
  }

  /**
   * Returns the device's notes. If its rules about levels judged no record yet, they begin with what arrives from now
   * on.
   */
  async function notesOf(
    { device, watch }: DueDevice,
    levelRules: readonly AlertRule[],
  ): Promise<WatchNotes> {
    const { claimedAt = null } = device.ownership ?? {};
    const notes =
      watch === null
        ? { position: 0, at: 0, atPosition: 0, claimedAt, online: null, levels: {}, spentUntil: {} }
        : readNotes(watch);
    if (levelRules.length === 0 || levelRules.some(({ id }) => id in notes.levels)) return notes;
    const [position = 0] = await store.telemetry.lastPositions([device.deviceId]);
    return { ...notes, position };
  }

  /** Returns the new records in order of arrival, and whether more wait. A page is shorter if its records are large. */
  async function readNew(deviceId: string, { position }: WatchNotes) {
    const { telemetry } = store;
    const records = await telemetry.read({ deviceId, after: position, limit: recordsAtOnce });
    const last = records.at(-1);
    // No single record is as large as a page.
    if (last === undefined || records.length === 1) return { records, hasMore: false };
    const next = await telemetry.read({ deviceId, after: last.position, limit: 1 });
    return { records, hasMore: next.length > 0 };
  }

  async function judge(
    due: DueDevice,
    all: readonly AlertRule[],
    firing: Awaited<ReturnType<typeof alerts.firing>>,
  ): Promise<boolean> {
    const { device, watch } = due;
    const { deviceId, ownership } = device;
    const rules = all.filter((rule) => appliesTo(rule, device));
    const levelRules = rules.filter(isLevelRule);
    const notes = await notesOf(due, levelRules);
    const hasNew = levelRules.some(isNew(new Map(Object.entries(notes.levels))));
    const [latest = null] = hasNew ? await store.telemetry.latest([{ deviceId, from: 0 }]) : [null];
    // Without rules about levels, it is enough to know when the device sent last.
    const { records, hasMore } =
      levelRules.length === 0 ? { records: [], hasMore: false } : await readNew(deviceId, notes);
    const now = clock.now();
    const verdict = judgeDevice(
      {
        ...{ device, rules, notes, records, latest, hasMore, now, countedFrom, settleMs },
        presence,
        alerts: firing.filter((alert) => alert.subject === deviceId),
        intervalMs: intervalOf(device) * 1_000,
        mayFire: (silentAt) =>
          silence !== null && silence.countedAt >= silentAt && !silence.isOfFleet,
      },
      createTransitions(now, newId),
    );
    const { kind } = await alerts.judge({
      watch: { ...verdict.watch, revision: (watch?.revision ?? 0) + 1 },
      expectedRevision: watch?.revision ?? null,
      owner: ownership && { ownerId: ownership.ownerId, claimedAt: ownership.claimedAt },
      transitions: verdict.transitions,
    });
    return kind === "judged";
  }

  /** Judges the devices of a page. A device that cannot be judged does not stop the others. An outage ends the page. */
  async function judgeAll(
    devices: readonly DueDevice[],
    signal: AbortSignal | undefined,
  ): Promise<JudgedPage> {
    if (devices.length === 0) {
      await nextTurn();
      return { judged: 0, outage: null };
    }
    const owners = new Set(devices.map(({ device }) => device.ownership?.ownerId ?? null)).add(
      null,
    );
    const rules = await alerts.rulesOf([...owners]);
    const firing = await alerts.firing(devices.map(({ device }) => device.deviceId));
    let judged = 0;
    for (let at = 0; at < devices.length && signal?.aborted !== true; at += mostAtOnce) {
      const some = devices.slice(at, at + mostAtOnce);
      const failed: FailedJudgement[] = [];
      const outcomes = await Promise.all(
        some.map(async (due) => {
          await nextTurn();
          return judge(due, rules, firing).catch((error: unknown) => {
            failed.push({ deviceId: due.device.deviceId, error });
            return false;
          });
        }),
      );
      judged += outcomes.filter(Boolean).length;
      const outage = findOutage(failed, some.length);
      if (outage !== null) return { judged, outage };
      for (const { deviceId, error } of failed) {
        logger.warn({ err: error, deviceId }, "Could not judge a device. Trying again");
      }
    }
    await nextTurn();
    return { judged, outage: null };
  }

  return {
    async evaluate(signal) {
      const startedAt = clock.now();
      const { notes, hasMore } = await followEvents(eventSteps);
      countedFrom = countFrom(notes, startedAt, outageMs);
      let [judged, lookedMs, watched, overdue] = [0, 0, 0, 0];
      let eventsWait = hasMore;
      let outage: FailedJudgement | null = null;
      for (let after: string | null = ""; after !== null; ) {
        if (signal?.aborted === true) return { judged, lookedMs };
        const begun = performance.now();
        const page = await alerts.due({
          ...{ after, now: clock.now(), limit: pageSize, everyone: presence },
        });
        lookedMs += performance.now() - begun;
        watched += page.watched;
        overdue += page.overdue;
        const found = await judgeAll(page.devices, signal);
        judged += found.judged;
        outage ??= found.outage;
        after = page.next;
        // Waiting events and devices take turns, so that neither of them delays the others.
        if (eventsWait || clock.now() - startedAt > beatMs) {
          eventsWait = (await followEvents(1)).hasMore;
        }
      }
      // The other pages were judged, because their devices may be in another database.
      if (outage !== null) throw outage.error;
      const begun = performance.now();
      const isOfFleet = await judgeFleetSilence({ watched, overdue }, signal);
      lookedMs += performance.now() - begun;
      silence = { countedAt: startedAt, isOfFleet };
      await writeHeartbeat();
      return { judged, lookedMs };
    },
  };
}
