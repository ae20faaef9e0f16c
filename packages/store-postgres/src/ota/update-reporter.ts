import {
  advanceUpdate,
  haltRelease,
  newTally,
  type OtaEvent,
  type OtaState,
  type Release,
  type ReportInput,
  type ReportOutcome,
  type RolloutTally,
  type StandingRow,
  toMoveEvent,
  toStanding,
  toStandingRow,
  toUpdate,
  toUpdateRow,
  type UpdateFacts,
  type UpdateRow,
  type UpdateStep,
} from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeChanges,
  writeEvents,
  writeTransitions,
} from "../device/transition-writer.js";
import { writeOtaEvent } from "./ota-event-writer.js";
import { releaseColumns } from "./release-row.js";
import { findRelease, lockRelease, recordReleaseChange, replaceRelease } from "./release-store.js";
import { putUpdate, updateColumns } from "./update-columns.js";

const findDevice = statement<
  { deviceId: string },
  StandingRow & { target_hardware: string; bench_mode: boolean }
>(
  `SELECT target_hardware, bench_mode, ota_standing
   FROM device_gateway.devices JOIN device_gateway.device_activity USING (device_id)
   WHERE device_id = @deviceId`,
);
// Only this release can have been offered: once active, a release keeps its version forever.
const findByVersion = statement<{ targetHardware: string; version: string }, Release>(
  `SELECT ${releaseColumns} FROM device_gateway.releases
   WHERE target_hardware = @targetHardware AND version = @version AND activated_at IS NOT NULL`,
);
const lockReported = statement<
  { deviceIds: readonly string[]; versions: readonly string[] },
  object
>(
  `SELECT FROM device_gateway.releases WHERE id IN (
     SELECT r.id
     FROM unnest(@deviceIds::text[], @versions::text[]) AS w (device_id, version)
     JOIN device_gateway.devices AS d USING (device_id)
     JOIN device_gateway.releases AS r ON r.target_hardware = d.target_hardware
       AND r.version = w.version AND r.activated_at IS NOT NULL
   ) ORDER BY id FOR UPDATE`,
);
const findUpdate = statement<{ deviceId: string; releaseId: number }, UpdateRow>(
  `SELECT ${updateColumns} FROM device_gateway.device_updates AS u
   WHERE device_id = @deviceId AND release_id = @releaseId`,
);
const findTally = statement<{ releaseId: number }, RolloutTally>(
  `SELECT round, succeeded, failed FROM device_gateway.rollout_tallies
   WHERE release_id = @releaseId`,
);
const put = statement<UpdateRow, object>(putUpdate);
const putTally = statement<RolloutTally & { releaseId: number }, object>(
  `INSERT INTO device_gateway.rollout_tallies (release_id, round, succeeded, failed)
   VALUES (@releaseId, @round, @succeeded, @failed)
   ON CONFLICT (release_id) DO UPDATE SET round = excluded.round, succeeded = excluded.succeeded,
     failed = excluded.failed`,
);
export const setStanding = statement<StandingRow & { deviceId: string }, object>(
  `UPDATE device_gateway.device_activity SET ota_standing = @ota_standing
   WHERE device_id = @deviceId`,
);
const forgetStatus = statement<{ deviceId: string }, object>(
  `UPDATE device_gateway.device_activity SET ota_fingerprint = NULL
   WHERE device_id = @deviceId`,
);
const feedDevice = statement<{ deviceId: string; at: number }, object>(
  `WITH ${mark}, changed AS (SELECT @deviceId::text AS device_id)
   ${writeChanges("changed", "@at::bigint")}`,
);

const logMove = statement<EventParameters & { deviceId: string }, object>(
  `WITH ${mark}, moved AS (SELECT @deviceId::text AS device_id)
   ${writeEvents("moved")}`,
);
const feedAndLogMove = statement<EventParameters & { deviceId: string }, object>(
  `WITH ${mark}, moved AS (SELECT @deviceId::text AS device_id), ${writeTransitions("moved")}
   SELECT FROM moved`,
);

/** The outcome of a report from a device that does not exist. */
export const noDeviceOutcome: ReportOutcome = { state: null, moved: null, halt: null };

/** The states whose report in telemetry can change a tally. */
const counted: ReadonlySet<OtaState> = new Set([
  "succeeded",
  "failed",
  "rejected",
  "rolled_back",
  "timed_out",
]);

/**
 * Locks the releases of several reports in telemetry that may change a tally, in order of id. Two
 * transactions with reports about the same releases then cannot deadlock.
 */
export async function lockReleasesOf(session: Session, events: readonly OtaEvent[]): Promise<void> {
  const reports = events.flatMap(({ deviceId, state, offeredVersion }) =>
    offeredVersion !== null && counted.has(state) ? { deviceId, version: offeredVersion } : [],
  );
  // The report itself locks its release.
  if (reports.length < 2) return;
  await lockReported(session, {
    deviceIds: reports.map(({ deviceId }) => deviceId),
    versions: reports.map(({ version }) => version),
  });
}

/** Applies an update report. The transaction must have locked the device's activity row. */
export async function reportUpdate(
  session: Session,
  { report, rules }: ReportInput,
): Promise<ReportOutcome> {
  const { deviceId, offeredVersion } = report.event;
  const [device] = await findDevice(session, { deviceId });
  if (device === undefined) return noDeviceOutcome;
  const release =
    report.releaseId === null
      ? await byVersion(session, device.target_hardware, offeredVersion)
      : await findRelease(session, report.releaseId);
  const [row] = release ? await findUpdate(session, { deviceId, releaseId: release.id }) : [];
  let facts: UpdateFacts = {
    release,
    update: row === undefined ? null : toUpdate(row),
    standing: toStanding(device),
    tally: await tallyOf(session, release),
    benchMode: device.bench_mode,
  };
  let step = advanceUpdate(facts, report, rules);
  if (release !== null && (step.tally !== null || step.halt !== null)) {
    // The step changes the tally or halts the release: lock the release and compute the step again.
    facts = { ...facts, release: await lockRelease(session, release.id) };
    facts = { ...facts, tally: await tallyOf(session, facts.release) };
    step = advanceUpdate(facts, report, rules);
  }
  await writeUpdateStep(session, report.event, facts.release, step);
  return {
    state: (step.update ?? facts.update)?.state ?? null,
    moved: step.moved,
    halt: step.halt,
  };
}

async function byVersion(
  session: Session,
  targetHardware: string,
  version: string | null,
): Promise<Release | null> {
  if (version === null) return null;
  return (await findByVersion(session, { targetHardware, version }))[0] ?? null;
}

async function tallyOf(session: Session, release: Release | null): Promise<RolloutTally> {
  if (release === null) return newTally;
  return (await findTally(session, { releaseId: release.id }))[0] ?? newTally;
}

async function writeUpdateStep(
  session: Session,
  event: OtaEvent,
  release: Release | null,
  step: UpdateStep,
): Promise<void> {
  const { deviceId, createdAt } = event;
  if (step.recorded !== null) await writeOtaEvent(session, step.recorded);
  if (step.update !== null) await put(session, toUpdateRow(step.update));
  if (release !== null && step.tally !== null) {
    await putTally(session, { releaseId: release.id, ...step.tally });
  }
  if (release !== null && step.halt !== null) {
    await replaceRelease(session, haltRelease(release, createdAt));
    await recordReleaseChange(session, release.id, step.halt);
  }
  if (step.forgetsStatus) await forgetStatus(session, { deviceId });
  if (step.standing !== null) {
    await setStanding(session, { deviceId, ...toStandingRow(step.standing) });
  }
  const isFed = step.forgetsStatus || step.standing !== null;
  if (step.moved !== null) {
    const log = isFed ? feedAndLogMove : logMove;
    await log(session, { deviceId, ...toEventParameters(toMoveEvent(step.moved)) });
  } else if (isFed) {
    await feedDevice(session, { deviceId, at: createdAt });
  }
}
