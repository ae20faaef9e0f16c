import type { SecurityEvent } from "../../audit/security-event.js";
import { canonicalJson } from "../../shared/json.js";
import type { CurrentUpdate, OtaStanding } from "../offer/device-ota.js";
import { failsTooOften, type RolloutTally } from "../release/judge-rollout.js";
import type { Release } from "../release/release.js";
import type { DeviceUpdate } from "./device-update.js";
import { moveUpdate, type UpdateMove, type UpdateReport } from "./move-update.js";
import type { UpdateMoved } from "./update-moved.js";
import type { UpdateRules } from "./update-rules.js";

/** What is stored when a report comes, all of one moment. */
export interface UpdateFacts {
  /** The report's: by its id, or the one that was ever active of its version for the device's hardware. */
  readonly release: Release | null;
  readonly update: DeviceUpdate | null;
  readonly standing: OtaStanding;
  readonly tally: RolloutTally;
}

/** What is to be written because of a report, together; null: stays as it is. */
export interface UpdateStep {
  /** Whether the report's event goes into the history. */
  readonly recorded: boolean;
  readonly update: DeviceUpdate | null;
  readonly standing: OtaStanding | null;
  readonly tally: RolloutTally | null;
  /** The release is to be paused, and this says why. */
  readonly halt: SecurityEvent | null;
  /** The device's OTA fingerprint is to be forgotten: the same words will tell of another attempt. */
  readonly forgetsStatus: boolean;
  /** Not written: what is told to listeners once all this is committed. */
  readonly moved: UpdateMoved | null;
}

/** A device may begin by a download alone, where its offer was lost or is another process's. */
const opening: readonly string[] = ["offered", "downloading", "downloaded"];

function openUpdate({ release }: UpdateFacts, { event }: UpdateReport): DeviceUpdate | null {
  const byServer = event.source === "server" && opening.includes(event.state);
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

function applyMove(
  update: DeviceUpdate,
  move: UpdateMove,
  { event, servesImage }: UpdateReport,
  rules: UpdateRules,
): { readonly update: DeviceUpdate; readonly blocks: boolean } {
  const now = event.createdAt;
  const recent = update.attempts.filter((at) => now - at < rules.attemptWindowMs);
  const attempts = move.attempt === "begins" ? [...recent, now] : recent;
  const failures = move.state === "succeeded" ? 0 : update.failures + (move.fails ? 1 : 0);
  const blocks = failures >= rules.maxFailures || attempts.length >= rules.maxAttempts;
  return {
    blocks,
    update: {
      ...update,
      state: move.state,
      updatedAt: now,
      attempts: blocks ? [] : attempts,
      attemptServed: move.attempt === undefined ? update.attemptServed : servesImage,
      failures: blocks ? 0 : failures,
    },
  };
}

/** Counts a device as what its update came to; one that was counted before only changes sides. */
function countDevice(
  { outcome }: DeviceUpdate,
  verdict: "succeeded" | "failed",
  tally: RolloutTally,
): RolloutTally {
  const before = outcome?.round === tally.round ? outcome.kind : null;
  if (before === verdict) return tally;
  const without = before === null ? tally : { ...tally, [before]: tally[before] - 1 };
  return { ...without, [verdict]: without[verdict] + 1 };
}

const toHalt = (release: Release, { succeeded, failed }: RolloutTally, at: number) =>
  ({
    kind: "release.halted",
    at,
    deviceId: "",
    actor: "gateway",
    requestId: null,
    clientAddress: null,
    details: {
      releaseId: release.id,
      version: release.version,
      targetHardware: release.targetHardware,
      succeeded,
      failed,
    },
  }) satisfies SecurityEvent;

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
  const keeps = isOther && standing.current !== null && event.state !== "offered";
  const block =
    blockUntil === null || current === null
      ? []
      : [{ releaseId: current.releaseId, until: blockUntil }];
  return {
    current: keeps || current === null ? standing.current : current,
    blocks: [...blocks, ...block],
    lastReport: fingerprint ?? standing.lastReport,
  };
}

/**
 * Works out what a report changes: the update's state, the device's blocks and the rollout's tally,
 * and whether the release is to be halted. Late, repeated and nonsensical reports change nothing;
 * at most they are told in the history.
 */
export function advanceUpdate(
  facts: UpdateFacts,
  report: UpdateReport,
  rules: UpdateRules,
): UpdateStep {
  const { release, standing } = facts;
  const { event, fingerprint } = report;
  const opened = facts.update === null ? openUpdate(facts, report) : null;
  const update = facts.update ?? opened;
  const move = update && moveUpdate(update, report, standing, rules);
  if (release === null || update === null || (move === null && opened === null)) {
    return retell(facts, report);
  }

  const applied =
    move === null ? { update, blocks: false } : applyMove(update, move, report, rules);
  // What was still under way when the release was halted says nothing about the next round.
  const verdict = release.haltedAt === null ? move?.verdict : undefined;
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
  const movedOn = opened !== null || state !== update.state || move?.attempt === "begins";
  const isNews = fingerprint === null ? movedOn : movedOn || fingerprint !== standing.lastReport;
  return {
    recorded: event.source === "telemetry" || (isNews && !isOfferAgain(facts, report)),
    update: { ...applied.update, outcome: moved },
    standing: ifChanged(standing, nextStanding(facts, report, current, blockUntil)),
    tally: halts ? { round: tally.round + 1, succeeded: 0, failed: 0 } : tally,
    halt: halts ? toHalt(release, tally, event.createdAt) : null,
    forgetsStatus: move?.attempt === "begins" && report.servesImage,
    moved: movedOn ? toMoved(release, facts.update, applied.update, event) : null,
  };
}

/** What is written, if it is not as it was: every write makes other processes read the device anew. */
const ifChanged = (before: OtaStanding, now: OtaStanding): OtaStanding | null =>
  canonicalJson(toFields(before)) === canonicalJson(toFields(now)) ? null : toFields(now);

/** A device's standing comes with all else of its updates. */
const toFields = ({ current, blocks, lastReport }: OtaStanding): OtaStanding => ({
  current,
  blocks,
  lastReport,
});

/** An offer is told once per release and device (contract §6). */
const isOfferAgain = ({ update }: UpdateFacts, { event }: UpdateReport): boolean =>
  update !== null && event.state === "offered";

/** A report that moves nothing: told if it is news of the device's, and what it offers is kept in mind. */
function retell({ release, update, standing }: UpdateFacts, report: UpdateReport): UpdateStep {
  const { event, fingerprint } = report;
  const { source, state } = event;
  const isNews = fingerprint !== null && fingerprint !== standing.lastReport;
  const isOffered = source === "server" && state === "offered";
  const current =
    isOffered && release !== null && update !== null
      ? { releaseId: release.id, version: release.version, state: update.state }
      : standing.current;
  return {
    recorded: source === "telemetry" || isNews,
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
