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
import type { Connection } from "../database/connection/connection.js";
import { countOf, type Session, statement } from "../database/statement.js";
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
type OverdueInput = Parameters<UpdateStore["overdue"]>[0];
/** Updates are examined in this order. */
type Place = Pick<UpdateRow, "updatedAt" | "deviceId" | "releaseId">;
type ExaminedRow = UpdateRow &
  Pick<OverdueUpdate, "version" | "firmwareVersion"> & { readonly isOverdue: boolean };

/** Updates under way that one statement examines. */
const examinedAtOnce = 1_000;
const examine = statement<Omit<OverdueInput, "limit"> & Place, ExaminedRow>(
  `SELECT ${updateColumns}, r.version, d.firmware_version AS "firmwareVersion",
     r.id IS NOT NULL AND d.device_id IS NOT NULL AND (u.updated_at < @before::bigint
       OR (u.state <> 'downloading' AND coalesce(a.last_seen_at, 0) < @silentSince::bigint
         AND u.updated_at < @silentSince::bigint)) AS "isOverdue"
   FROM device_gateway.device_updates AS u
     LEFT JOIN device_gateway.releases AS r ON r.id = u.release_id
     LEFT JOIN device_gateway.devices AS d USING (device_id)
     LEFT JOIN device_gateway.device_activity AS a USING (device_id)
   WHERE u.${isUnderWaySql} AND u.updated_at < greatest(@before::bigint, @silentSince::bigint)
     AND (u.updated_at, u.device_id, u.release_id) > (@updatedAt::bigint, @deviceId::text, @releaseId::bigint)
   ORDER BY u.updated_at, u.device_id, u.release_id LIMIT ${examinedAtOnce}`,
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
    overdue: createOverdueSearch(connection),
    prune: (input) => change(async (session) => countOf(await prune(session, input))),
    ...createOtaTargets(connection),
  };
}

const toOverdue = ({ version, firmwareVersion, isOverdue: _, ...row }: ExaminedRow) => ({
  ...toUpdate(row),
  version,
  firmwareVersion,
});

/** Creates the search for overdue updates. It works in steps, because only few of many updates under way may be overdue. */
function createOverdueSearch({ runSteps, readStep }: Connection): UpdateStore["overdue"] {
  return ({ before, silentSince, limit }) =>
    runSteps(async () => {
      const found: OverdueUpdate[] = [];
      let place: Place = { updatedAt: -1, deviceId: "", releaseId: 0 };
      for (;;) {
        const { updatedAt, deviceId, releaseId } = place;
        const after = { before, silentSince, updatedAt, deviceId, releaseId };
        const rows = await readStep((session) => examine(session, after));
        found.push(...rows.filter(({ isOverdue }) => isOverdue).map(toOverdue));
        const last = rows.at(-1);
        if (last === undefined || rows.length < examinedAtOnce || found.length >= limit) break;
        place = last;
      }
      return found.slice(0, limit);
    });
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
