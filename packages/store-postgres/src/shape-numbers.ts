import { shapeBounds } from "@device-gateway/core/store";
import { endOfUse, type ShapeUser } from "./shape-uses.js";
import { type Session, statement } from "./statement.js";

/** A skeleton that a record or an hour of a device has, at its time. */
export interface WantedShape {
  readonly device: number;
  readonly skeleton: string;
  readonly at: number;
}

interface Found {
  /** Of its skeleton among those that were asked for, from 1. */
  readonly place: number;
  readonly id: number;
}

// A digest that can be forged finds the row, and no more: another skeleton with it has no shape.
const digest = "md5(skeleton)";
const find = statement<{ skeletons: readonly string[] }, Found>(
  `SELECT w.place, s.id FROM unnest(@skeletons::text[]) WITH ORDINALITY AS w (wanted, place),
   LATERAL (
     SELECT id FROM device_gateway.telemetry_shapes
     WHERE ${digest} = md5(w.wanted) AND skeleton = w.wanted LIMIT 1
   ) AS s`,
);
const countUses = statement<{ devices: readonly number[] }, { device: number; uses: number }>(
  `SELECT number AS device,
     (SELECT count(*) FROM device_gateway.telemetry_shape_uses WHERE device = number) AS uses
   FROM device_gateway.device_activity WHERE number = ANY (@devices::integer[])`,
);
// With their uses, so that whatever becomes of the records, each counts as its device's, and goes
// some day. In one order everywhere, so that two processes never wait for each other.
const insert = statement<
  {
    skeletons: readonly string[];
    devices: readonly number[];
    ends: readonly number[];
    kind: ShapeUser;
    bound: number;
  },
  Found
>(
  `WITH wanted AS MATERIALIZED (
     SELECT * FROM unnest(@skeletons::text[], @devices::integer[], @ends::bigint[])
       WITH ORDINALITY AS w (skeleton, device, used_to, place)
     LIMIT greatest(0, @bound::bigint - (SELECT count(*) FROM device_gateway.telemetry_shapes))
   ), added AS (
     INSERT INTO device_gateway.telemetry_shapes (skeleton)
     SELECT skeleton FROM wanted ORDER BY ${digest}
     ON CONFLICT (${digest}) DO NOTHING RETURNING id, skeleton
   ), used AS (
     INSERT INTO device_gateway.telemetry_shape_uses (device, shape, kind, used_to)
     SELECT device, id, @kind, used_to FROM added JOIN wanted USING (skeleton)
   )
   SELECT place, id FROM added JOIN wanted USING (skeleton)`,
);

/** The numbers of those skeletons that have one. */
export async function findShapes(
  session: Session,
  skeletons: Iterable<string>,
): Promise<Map<string, number>> {
  const asked = [...new Set(skeletons)].filter(
    ({ length }) => length <= shapeBounds.skeletonLength,
  );
  return asked.length === 0 ? new Map() : toMap(asked, await find(session, { skeletons: asked }));
}

/** Numbers skeletons that have none, as far as the devices that want them may have more shapes. */
export async function addShapes(
  session: Session,
  kind: ShapeUser,
  wanted: readonly WantedShape[],
): Promise<Map<string, number>> {
  const allowed = await chooseAllowed(session, wanted);
  if (allowed.length === 0) return new Map();
  const skeletons = allowed.map(({ skeleton }) => skeleton);
  const rows = await insert(session, {
    skeletons,
    devices: allowed.map(({ device }) => device),
    ends: allowed.map(({ at }) => endOfUse(at)),
    kind,
    bound: shapeBounds.perGateway,
  });
  const added = toMap(skeletons, rows);
  // The others: there are too many, or another process was faster.
  const missing = skeletons.filter((skeleton) => !added.has(skeleton));
  return new Map([...added, ...(await findShapes(session, missing))]);
}

/** Each skeleton once, for a device that may have another shape. */
async function chooseAllowed(
  session: Session,
  wanted: readonly WantedShape[],
): Promise<readonly WantedShape[]> {
  const short = wanted.filter(({ skeleton }) => skeleton.length <= shapeBounds.skeletonLength);
  if (short.length === 0) return [];
  const devices = [...new Set(short.map(({ device }) => device))];
  const counts = await countUses(session, { devices });
  const room = new Map(counts.map(({ device, uses }) => [device, shapeBounds.perDevice - uses]));
  const allowed = new Map<string, WantedShape>();
  for (const want of short) {
    const left = room.get(want.device) ?? 0;
    if (left <= 0 || allowed.has(want.skeleton)) continue;
    allowed.set(want.skeleton, want);
    room.set(want.device, left - 1);
  }
  return [...allowed.values()];
}

const toMap = (asked: readonly string[], rows: readonly Found[]): Map<string, number> =>
  new Map(rows.map(({ place, id }) => [asked[place - 1] as string, id]));
