import type { SecurityEvent } from "../../audit/security-event.js";
import { canonicalJson } from "../../shared/json.js";
import type { CurrentUpdate, OtaStanding } from "../offer/device-ota.js";
import { failsTooOften, type RolloutTally } from "../release/judge-rollout.js";
import { type Release, toHaltEvent } from "../release/release.js";
import type { DeviceUpdate } from "./device-update.js";
import { moveUpdate, type UpdateMove, type UpdateReport } from "./move-update.js";
import type { OtaEvent } from "./ota-event.js";
import type { UpdateMoved } from "./update-moved.js";
import type { UpdateRules } from "./update-rules.js";

/** What is stored when a report arrives, read in one transaction. */
export interface UpdateFacts {
  /**
   * The release of the report, by its id, or else by its version and the device's hardware. In the latter case it was
   * active once.
   */
  readonly release: Release | null;
  readonly update: DeviceUpdate | null;
  readonly standing: OtaStanding;
  readonly tally: RolloutTally;
  /** Whether the device is on a test bench: its failures block and halt nothing. */
  readonly benchMode: boolean;
}

/** What a report changes. It is written in one transaction. Null means no change. */
export interface UpdateStep {
  /** The event to add to the history. */
  readonly recorded: OtaEvent | null;
  readonly update: DeviceUpdate | null;
  readonly standing: OtaStanding | null;
  readonly tally: RolloutTally | null;
  /** The security event of the halt, if the release is to be paused. */
  readonly halt: SecurityEvent | null;
  /** Whether to clear the device's OTA fingerprint, so that the same status counts again for the next attempt. */
  readonly forgetsStatus: boolean;
  /** Written to the event log, and announced to listeners after the commit. */
  readonly moved: UpdateMoved | null;
}

/**
 * States that can open an update. It may open with a download if its offer was lost, or if another process is still
 * recording it.
 */
const openingStates: readonly string[] = ["offered", "downloading", "downloaded"];

function openUpdate({ release }: UpdateFacts, { event }: UpdateReport): DeviceUpdate | null {
  const byServer = event.source === "server" && openingStates.includes(event.state);
  if (!byServer || release?.status !== "active") return null;
  return {
    deviceId: event.deviceId,
    releaseId: release.id,
    state: "offered",
    fromVersion: event.fromVersion,
    offeredAt: event.createdAt,
    updatedAt: event.createdAt,
    attempts: [],
    attemptServed: false,
    failures: 0,
    outcome: null,
  };
}

/**
 * Counts failures. A success does not clear them, because a release may start, succeed and then crash again and again.
 * It undoes only a time-out: the device was silent, but had not failed.
 */
function countFailures(
  { state: from, failures }: DeviceUpdate,
  { state, fails }: UpdateMove,
): number {
  if (fails) return failures + 1;
  return from === "timed_out" && state === "succeeded" ? Math.max(0, failures - 1) : failures;
}

function applyMove(
  update: DeviceUpdate,
  move: UpdateMove,
  { event, servesImage }: UpdateReport,
  rules: UpdateRules,
  benchMode: boolean,
): { readonly update: DeviceUpdate; readonly blocks: boolean } {
  const now = event.createdAt;
  const recent = update.attempts.filter((at) => now - at < rules.attemptWindowMs);
  const attempts = move.attempt === "begins" ? [...recent, now] : recent;
  const failures = countFailures(update, move);
  const isTooMany = failures >= rules.maxFailures || attempts.length >= rules.maxAttempts;
  const startsOver = benchMode || isTooMany;
  return {
    blocks: isTooMany && !benchMode,
    update: {
      ...update,
      state: move.state,
      updatedAt: now,
      attempts: startsOver ? [] : attempts,
      attemptServed: move.attempt === undefined ? update.attemptServed : servesImage,
      failures: startsOver ? 0 : failures,
    },
  };
}

/** Counts a device by the outcome of its update. A device that was counted before only changes sides. */
function countDevice(
  { outcome }: DeviceUpdate,
  verdict: "succeeded" | "failed",
  tally: RolloutTally,
): RolloutTally {
  const before = outcome?.round === tally.round ? outcome.kind : null;
  if (before === verdict) return tally;
  const others = before === null ? tally : { ...tally, [before]: tally[before] - 1 };
  return { ...others, [verdict]: others[verdict] + 1 };
}

const toMoved = (
  release: Release,
  from: DeviceUpdate | null,
  { state }: DeviceUpdate,
  { createdAt, deviceId, source, lastResult, message }: UpdateReport["event"],
): UpdateMoved => ({
  kind: "update.moved",
  at: createdAt,
  deviceId,
  releaseId: release.id,
  version: release.version,
  from: from?.state ?? null,
  to: state,
  source,
  lastResult,
  message,
});

function nextStanding(
  { standing }: UpdateFacts,
  { event, fingerprint }: UpdateReport,
  current: CurrentUpdate | null,
  blockUntil: number | null,
): OtaStanding {
  const now = event.createdAt;
  const blocks = standing.blocks.filter(
    ({ releaseId, until }) =>
      until > now && (blockUntil === null || releaseId !== current?.releaseId),
  );
  const isOther = current !== null && standing.current?.releaseId !== current.releaseId;
  const keepsCurrent = isOther && standing.current !== null && event.state !== "offered";
  const block =
    blockUntil === null || current === null
      ? []
      : [{ releaseId: current.releaseId, until: blockUntil }];
  return {
    current: keepsCurrent || current === null ? standing.current : current,
    blocks: [...blocks, ...block],
    lastReport: fingerprint ?? standing.lastReport,
  };
}

/**
 * Computes what a report changes: the update's state, the device's blocks, the rollout's tally, and whether the release
 * is halted. Late, repeated and nonsensical reports change none of these; they are recorded in the history at most.
 *
 * @example
 * const step = advanceUpdate({ release, update, standing, tally, benchMode }, report, rules);
 * if (step.update !== null) await writeUpdate(step.update); // in the transaction that read the facts
 */
export function advanceUpdate(
  facts: UpdateFacts,
  report: UpdateReport,
  rules: UpdateRules,
): UpdateStep {
  const { release, standing, benchMode } = facts;
  const { event, fingerprint } = report;
  const opened = facts.update === null ? openUpdate(facts, report) : null;
  const update = facts.update ?? opened;
  const move = update && moveUpdate(update, report, standing, rules);
  if (release === null || update === null || (move === null && opened === null)) {
    return recordOnly(facts, report);
  }

  const applied =
    move === null ? { update, blocks: false } : applyMove(update, move, report, rules, benchMode);
  // An update that ends before an operator activates the release again does not count for the next round.
  const verdict = release.haltedAt === null && !benchMode ? move?.verdict : undefined;
  const tally = verdict === undefined ? null : countDevice(update, verdict, facts.tally);
  const moved = tally && verdict ? { kind: verdict, round: tally.round } : update.outcome;
  const halts =
    tally !== null &&
    verdict === "failed" &&
    release.status === "active" &&
    failsTooOften(tally, rules.toleratedShare);

  const { state } = applied.update;
  const current = { releaseId: release.id, version: release.version, state };
  const blockUntil = applied.blocks ? event.createdAt + rules.blockMs : null;
  const hasMoved = opened !== null || state !== update.state || move?.attempt === "begins";
  const isNew = fingerprint === null ? hasMoved : hasMoved || fingerprint !== standing.lastReport;
  return {
    recorded:
      event.source === "telemetry" || (isNew && !isRepeatedOffer(facts, report))
        ? withOldVersion(event, update)
        : null,
    update: { ...applied.update, outcome: moved },
    standing: ifChanged(standing, nextStanding(facts, report, current, blockUntil)),
    tally: halts ? { round: tally.round + 1, succeeded: 0, failed: 0 } : tally,
    halt: halts ? toHaltEvent(release, tally, event.createdAt) : null,
    forgetsStatus: move?.attempt === "begins" && report.servesImage,
    moved: hasMoved ? toMoved(release, facts.update, applied.update, event) : null,
  };
}

/** Returns the standing if it changed, else null. Each write makes other processes read the device again. */
const ifChanged = (before: OtaStanding, now: OtaStanding): OtaStanding | null =>
  canonicalJson(toFields(before)) === canonicalJson(toFields(now)) ? null : toFields(now);

/** Returns only the fields of a standing. A device's standing is part of a larger object. */
const toFields = ({ current, blocks, lastReport }: OtaStanding): OtaStanding => ({
  current,
  blocks,
  lastReport,
});

/** A device that reports a success may already have reported the new version. */
const withOldVersion = (event: OtaEvent, update: DeviceUpdate | null): OtaEvent =>
  update !== null && event.state === "succeeded" && event.fromVersion === event.offeredVersion
    ? { ...event, fromVersion: update.fromVersion }
    : event;

/** An offer is recorded once per release and device (§6). */
const isRepeatedOffer = ({ update }: UpdateFacts, { event }: UpdateReport): boolean =>
  update !== null && event.state === "offered";

/** Handles a report that moves nothing. It is recorded if it is new, and an offer becomes the current update. */
function recordOnly({ release, update, standing }: UpdateFacts, report: UpdateReport): UpdateStep {
  const { event, fingerprint } = report;
  const { source, state } = event;
  const isNew = fingerprint !== null && fingerprint !== standing.lastReport;
  const isOffered = source === "server" && state === "offered";
  const current =
    isOffered && release !== null && update !== null
      ? { releaseId: release.id, version: release.version, state: update.state }
      : standing.current;
  return {
    recorded: source === "telemetry" || isNew ? withOldVersion(event, update) : null,
    update: null,
    standing: ifChanged(standing, {
      ...standing,
      current,
      lastReport: fingerprint ?? standing.lastReport,
    }),
    tally: null,
    halt: null,
    forgetsStatus: false,
    moved: null,
  };
}
