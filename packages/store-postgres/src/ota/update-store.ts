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
import { type Session, statement } from "../database/statement.js";
import { lockDevices } from "../device/device-numbers.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeTransitions,
} from "../device/transition-writer.js";
import { updateColumns } from "./update-columns.js";
import { noDeviceOutcome, reportUpdate, setStanding } from "./update-reporter.js";

const list = statement<{ deviceId: string }, UpdateRow>(
  `SELECT ${updateColumns} FROM device_gateway.device_updates AS u
   WHERE device_id = @deviceId ORDER BY updated_at DESC, release_id DESC`,
);
const counts = statement<{ releaseId: number }, { state: OtaState; count: number }>(
  `SELECT state, count(*) AS count FROM device_gateway.device_updates
   WHERE release_id = @releaseId GROUP BY state`,
);
const overdue = statement<
  { before: number; silentSince: number; limit: number },
  UpdateRow & Pick<OverdueUpdate, "version" | "firmwareVersion">
>(
  `SELECT ${updateColumns}, r.version, d.firmware_version AS "firmwareVersion"
   FROM device_gateway.device_updates AS u
     JOIN device_gateway.releases AS r ON r.id = u.release_id
     JOIN device_gateway.devices AS d USING (device_id)
     JOIN device_gateway.device_activity AS a USING (device_id)
   WHERE u.${isUnderWaySql} AND u.updated_at < greatest(@before::bigint, @silentSince::bigint)
     AND (u.updated_at < @before::bigint
       OR (u.state <> 'downloading' AND coalesce(a.last_seen_at, 0) < @silentSince::bigint
         AND u.updated_at < @silentSince::bigint))
   ORDER BY u.updated_at LIMIT @limit`,
);
const prune = statement<{ movedBefore: number; limit: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT device_id, release_id FROM device_gateway.device_updates
     WHERE NOT ${isUnderWaySql} AND updated_at < @movedBefore ORDER BY updated_at LIMIT @limit
     FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM device_gateway.device_updates AS u USING old
     WHERE u.device_id = old.device_id AND u.release_id = old.release_id RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);

/**
 * Locks the device's activity row. Its events are then written in lock order and erased with the
 * device. Returns false if the device does not exist, though another transaction may be registering
 * it.
 */
const isLocked = async (session: Session, deviceId: string): Promise<boolean> =>
  (await lockDevices(session, [deviceId])).has(deviceId);

export function createUpdateStore(connection: Connection): UpdateStore {
  const { read, change, write } = connection;
  return {
    report: (input) =>
      write(async (session) => {
        const { deviceId } = input.report.event;
        if (!(await isLocked(session, deviceId))) return noDeviceOutcome;
        return reportUpdate(session, input);
      }),
    list: (deviceId) => read(async (session) => (await list(session, { deviceId })).map(toUpdate)),
    counts: (releaseId) => read((session) => countStates(session, releaseId)),
    overdue: (input) =>
      read(async (session) => {
        const rows = await overdue(session, input);
        return rows.map(({ version, firmwareVersion, ...row }) => ({
          ...toUpdate(row),
          version,
          firmwareVersion,
        }));
      }),
    prune: (input) =>
      change(async (session) => {
        const [row] = await prune(session, input);
        return row?.count ?? 0;
      }),
    ...createOtaTargets(connection),
  };
}

/** Returns the number of a release's updates in each state. */
export async function countStates(
  session: Session,
  releaseId: number,
): Promise<Partial<Record<OtaState, number>>> {
  const rows = await counts(session, { releaseId });
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

interface OtaTarget extends EventParameters {
  readonly deviceId: string;
  readonly channel: string | null;
  readonly pins: boolean;
  readonly pinnedVersion: string | null;
  readonly benchMode: boolean | null;
}

const setOtaTarget = statement<OtaTarget, object>(
  `WITH ${mark},
   targeted AS (
     UPDATE device_gateway.devices SET ota_channel = coalesce(@channel::text, ota_channel),
       pinned_version = CASE WHEN @pins::boolean THEN @pinnedVersion ELSE pinned_version END,
       bench_mode = coalesce(@benchMode::boolean, bench_mode),
       revision = revision + 1
     WHERE device_id = @deviceId RETURNING device_id
   ), ${writeTransitions("targeted")}
   SELECT FROM targeted`,
);

const findStanding = statement<{ deviceId: string }, StandingRow>(
  `SELECT ota_standing FROM device_gateway.device_activity WHERE device_id = @deviceId`,
);
const resetUpdates = statement<{ deviceId: string }, object>(
  `UPDATE device_gateway.device_updates SET attempts = '[]', failures = 0
   WHERE device_id = @deviceId`,
);
const recordClearing = statement<EventParameters & { deviceId: string }, object>(
  `WITH ${mark},
   cleared AS (
     UPDATE device_gateway.devices SET revision = revision + 1
     WHERE device_id = @deviceId RETURNING device_id
   ), ${writeTransitions("cleared")}
   SELECT FROM cleared`,
);

function createOtaTargets({
  change,
  write,
}: Connection): Pick<UpdateStore, "setOtaTarget" | "clearBlocks"> {
  return {
    clearBlocks: ({ deviceId, event }) =>
      write(async (session) => {
        // The lock keeps a concurrent report from writing the blocks back.
        if (!(await isLocked(session, deviceId))) return { kind: "unknown" };
        const [row] = await findStanding(session, { deviceId });
        if (row === undefined) return { kind: "unknown" };
        const cleared = toStandingRow({ ...toStanding(row), blocks: [] });
        await setStanding(session, { deviceId, ...cleared });
        await resetUpdates(session, { deviceId });
        await recordClearing(session, { deviceId, ...toEventParameters(event) });
        return { kind: "recorded" };
      }),
    setOtaTarget: ({ deviceId, channel = null, pinnedVersion, benchMode = null, event }) =>
      change(async (session) => {
        const targeted = await setOtaTarget(session, {
          ...{ deviceId, channel, pins: pinnedVersion !== undefined },
          ...{ pinnedVersion: pinnedVersion ?? null, benchMode },
          ...toEventParameters(event),
        });
        return { kind: targeted.length > 0 ? "recorded" : "unknown" };
      }),
  };
}
