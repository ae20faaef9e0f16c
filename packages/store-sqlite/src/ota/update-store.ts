import {
  isUnderWaySql,
  type OtaState,
  type OverdueUpdate,
  type StandingRow,
  toStanding,
  toStandingRow,
  toUpdate,
  type UpdateRow,
  type UpdateStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareTransitionWriter } from "../device/transition-writer.js";
import { updateColumns } from "./update-columns.js";
import { prepareReporter } from "./update-reporter.js";

type OverdueRow = UpdateRow & Pick<OverdueUpdate, "version" | "firmwareVersion">;

export function createUpdateStore(connection: Connection): UpdateStore {
  const { database, read, write } = connection;
  const report = prepareReporter(database);
  const list = database.prepare<[string], UpdateRow>(
    `SELECT ${updateColumns} FROM device_updates u
     WHERE device_id = ? ORDER BY updated_at DESC, release_id DESC`,
  );
  const counts = database.prepare<[number], { state: OtaState; count: number }>(
    "SELECT state, count FROM device_update_counts WHERE release_id = ? AND count > 0",
  );
  const overdue = database.prepare<
    [{ before: number; silentSince: number; limit: number }],
    OverdueRow
  >(
    `SELECT ${updateColumns}, r.version, d.firmware_version AS firmwareVersion
     FROM device_updates u JOIN releases r ON r.id = u.release_id
       JOIN devices d ON d.device_id = u.device_id
       LEFT JOIN telemetry_senders s ON s.device = d.number
     WHERE u.${isUnderWaySql} AND u.updated_at < max(@before, @silentSince)
       AND (u.updated_at < @before
         OR (u.state <> 'downloading' AND max(ifnull(d.last_seen_at, 0), ifnull(s.last_at, 0)) < @silentSince
           AND u.updated_at < @silentSince))
     ORDER BY u.updated_at LIMIT @limit`,
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM device_updates WHERE (device_id, release_id) IN
       (SELECT device_id, release_id FROM device_updates
        WHERE NOT ${isUnderWaySql} AND updated_at < ? ORDER BY updated_at LIMIT ?)`,
  );
  return {
    report: (input) => write(() => report(input)),
    list: (deviceId) => read(() => list.all(deviceId).map(toUpdate)),
    counts: (releaseId) =>
      read(() =>
        Object.fromEntries(counts.all(releaseId).map(({ state, count }) => [state, count])),
      ),
    overdue: (input) =>
      read(() =>
        overdue.all(input).map(({ version, firmwareVersion, ...row }) => ({
          ...toUpdate(row),
          version,
          firmwareVersion,
        })),
      ),
    prune: ({ movedBefore, limit }) => write(() => prune.run(movedBefore, limit).changes),
    ...createOtaTargets(connection),
  };
}

function createOtaTargets({
  database,
  write,
}: Connection): Pick<UpdateStore, "setOtaTarget" | "clearBlocks"> {
  const writeTransition = prepareTransitionWriter(database);
  const setTarget = database.prepare<
    [
      {
        deviceId: string;
        channel: string | null;
        pins: 0 | 1;
        pinnedVersion: string | null;
        benchMode: 0 | 1 | null;
      },
    ]
  >(
    `UPDATE devices SET ota_channel = ifnull(@channel, ota_channel),
       pinned_version = CASE @pins WHEN 1 THEN @pinnedVersion ELSE pinned_version END,
       bench_mode = ifnull(@benchMode, bench_mode),
       revision = revision + 1
     WHERE device_id = @deviceId`,
  );
  const find = database.prepare<[string], StandingRow>(
    "SELECT ota_standing FROM devices WHERE device_id = ?",
  );
  const setStanding = database.prepare<[StandingRow & { deviceId: string }]>(
    `UPDATE devices SET ota_standing = @ota_standing, revision = revision + 1
     WHERE device_id = @deviceId`,
  );
  const resetUpdates = database.prepare<[string]>(
    "UPDATE device_updates SET attempts = '[]', failures = 0 WHERE device_id = ?",
  );
  return {
    setOtaTarget: ({ deviceId, channel = null, pinnedVersion, benchMode, event }) =>
      write(() => {
        const change = {
          ...{ deviceId, channel },
          pins: pinnedVersion === undefined ? 0 : 1,
          pinnedVersion: pinnedVersion ?? null,
          benchMode: benchMode === undefined ? null : benchMode ? 1 : 0,
        } as const;
        if (setTarget.run(change).changes === 0) return { kind: "unknown" };
        writeTransition(event);
        return { kind: "recorded" };
      }),
    clearBlocks: ({ deviceId, event }) =>
      write(() => {
        const row = find.get(deviceId);
        if (row === undefined) return { kind: "unknown" };
        setStanding.run({ deviceId, ...toStandingRow({ ...toStanding(row), blocks: [] }) });
        resetUpdates.run(deviceId);
        writeTransition(event);
        return { kind: "recorded" };
      }),
  };
}
