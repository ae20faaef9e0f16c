import {
  isUnderWaySql,
  nextTurn,
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

/** Updates under way that are examined in one turn of the event loop. */
const examinedAtOnce = 500;

/** Updates are examined in this order. */
type Place = Pick<UpdateRow, "updatedAt" | "deviceId" | "releaseId">;

type OverdueInput = Parameters<UpdateStore["overdue"]>[0];
type ExaminedRow = UpdateRow &
  Pick<OverdueUpdate, "version" | "firmwareVersion"> & { readonly isOverdue: 0 | 1 };

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
    overdue: createOverdueSearch(connection),
    prune: ({ movedBefore, limit }) => write(() => prune.run(movedBefore, limit).changes),
    ...createOtaTargets(connection),
  };
}

/** Creates the search for overdue updates. It works in steps, because many updates under way may not be overdue. */
function createOverdueSearch({ database, runSteps, readStep }: Connection): UpdateStore["overdue"] {
  const examine = database.prepare<[Omit<OverdueInput, "limit"> & Place], ExaminedRow>(
    `SELECT ${updateColumns}, r.version, d.firmware_version AS firmwareVersion,
       r.id IS NOT NULL AND d.device_id IS NOT NULL AND (u.updated_at < @before
         OR (u.state <> 'downloading' AND max(ifnull(d.last_seen_at, 0), ifnull(s.last_at, 0)) < @silentSince
           AND u.updated_at < @silentSince)) AS isOverdue
     FROM device_updates u LEFT JOIN releases r ON r.id = u.release_id
       LEFT JOIN devices d ON d.device_id = u.device_id
       LEFT JOIN telemetry_senders s ON s.device = d.number
     WHERE u.${isUnderWaySql} AND u.updated_at < max(@before, @silentSince)
       AND (u.updated_at, u.device_id, u.release_id) > (@updatedAt, @deviceId, @releaseId)
     ORDER BY u.updated_at, u.device_id, u.release_id LIMIT ${examinedAtOnce}`,
  );
  const toOverdue = ({ version, firmwareVersion, isOverdue: _, ...row }: ExaminedRow) => ({
    ...toUpdate(row),
    version,
    firmwareVersion,
  });
  return ({ before, silentSince, limit }) =>
    runSteps(async () => {
      const found: OverdueUpdate[] = [];
      let place: Place = { updatedAt: -1, deviceId: "", releaseId: 0 };
      for (;;) {
        const { updatedAt, deviceId, releaseId } = place;
        const after = { before, silentSince, updatedAt, deviceId, releaseId };
        const rows = await readStep(() => examine.all(after));
        found.push(...rows.filter(({ isOverdue }) => isOverdue === 1).map(toOverdue));
        const last = rows.at(-1);
        if (last === undefined || rows.length < examinedAtOnce || found.length >= limit) break;
        place = last;
        await nextTurn();
      }
      return found.slice(0, limit);
    });
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
