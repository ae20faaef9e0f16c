import {
  advanceUpdate,
  haltRelease,
  newTally,
  type OtaEvent,
  type OtaRow,
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
  type UpdateRow,
  type UpdateStep,
} from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Database } from "../database/database.js";
import { type Bits, toBits } from "../database/to-bits.js";
import { prepareEventWriter } from "../device/security-event-store.js";
import { prepareOtaEventWriter } from "./ota-event-writer.js";
import { type ReleaseRow, releaseColumns, toRelease } from "./release-row.js";
import { prepareReleaseChangeWriter, prepareReleases } from "./release-store.js";
import { putUpdate, updateColumns } from "./update-columns.js";

type DeviceFacts = StandingRow & Pick<OtaRow, "bench_mode"> & { readonly target_hardware: string };

/** Prepares a function that applies an update report. Run it in a transaction. */
export function prepareReporter(database: Database): (input: ReportInput) => ReportOutcome {
  const findDevice = database.prepare<[string], DeviceFacts>(
    "SELECT target_hardware, bench_mode, ota_standing FROM devices WHERE device_id = ?",
  );
  // Only this release can have been offered: once active, a release keeps its version forever.
  const findRelease = database.prepare<[string, string | null], ReleaseRow>(
    `SELECT ${releaseColumns} FROM releases
     WHERE target_hardware = ? AND version = ? AND activated_at IS NOT NULL`,
  );
  const findUpdate = database.prepare<[string, number], UpdateRow>(
    `SELECT ${updateColumns} FROM device_updates u WHERE device_id = ? AND release_id = ?`,
  );
  const findTally = database.prepare<[number], RolloutTally>(
    "SELECT round, succeeded, failed FROM rollout_tallies WHERE release_id = ?",
  );
  const releases = prepareReleases(database);
  const write = prepareWrites(database);
  const byVersion = (targetHardware: string, version: string | null): Release | null => {
    const row = findRelease.get(targetHardware, version);
    return row === undefined ? null : toRelease(row);
  };

  return ({ report, rules }) => {
    const { deviceId, offeredVersion } = report.event;
    const device = findDevice.get(deviceId);
    if (device === undefined) return { state: null, moved: null, halt: null };
    const release =
      report.releaseId === null
        ? byVersion(device.target_hardware, offeredVersion)
        : releases.find(report.releaseId);
    const updateRow = release === null ? undefined : findUpdate.get(deviceId, release.id);
    const facts = {
      release,
      update: updateRow === undefined ? null : toUpdate(updateRow),
      standing: toStanding(device),
      tally: (release && findTally.get(release.id)) ?? newTally,
      benchMode: Boolean(device.bench_mode),
    };
    const step = advanceUpdate(facts, report, rules);
    write(report.event, release, step);
    return {
      state: (step.update ?? facts.update)?.state ?? null,
      moved: step.moved,
      halt: step.halt,
    };
  };
}

function prepareWrites(database: Database) {
  const writeOtaEvent = prepareOtaEventWriter(database);
  const writeEvent = prepareEventWriter(database);
  const writeChange = prepareChangeWriter(database);
  const releases = prepareReleases(database);
  const writeReleaseChange = prepareReleaseChangeWriter(database);
  const put = database.prepare<[Bits<UpdateRow>]>(putUpdate);
  const putTally = database.prepare<[RolloutTally & { releaseId: number }]>(
    `INSERT INTO rollout_tallies (release_id, round, succeeded, failed)
     VALUES (@releaseId, @round, @succeeded, @failed)
     ON CONFLICT (release_id) DO UPDATE SET
       round = @round, succeeded = @succeeded, failed = @failed`,
  );
  const setStanding = database.prepare<[StandingRow & { deviceId: string }]>(
    "UPDATE devices SET ota_standing = @ota_standing WHERE device_id = @deviceId",
  );
  const forgetStatus = database.prepare<[string]>(
    "UPDATE devices SET ota_fingerprint = NULL WHERE device_id = ?",
  );

  return (event: OtaEvent, release: Release | null, step: UpdateStep): void => {
    const { deviceId, createdAt } = event;
    if (step.recorded !== null) writeOtaEvent(step.recorded);
    if (step.moved !== null) writeEvent(toMoveEvent(step.moved));
    if (step.update !== null) put.run(toBits(toUpdateRow(step.update)));
    if (release !== null && step.tally !== null) {
      putTally.run({ releaseId: release.id, ...step.tally });
    }
    if (release !== null && step.halt !== null) {
      releases.replace(haltRelease(release, createdAt));
      writeReleaseChange(release.id, step.halt);
    }
    if (step.forgetsStatus) forgetStatus.run(deviceId);
    if (step.standing !== null) setStanding.run({ deviceId, ...toStandingRow(step.standing) });
    if (step.forgetsStatus || step.standing !== null) writeChange(deviceId, createdAt);
  };
}
