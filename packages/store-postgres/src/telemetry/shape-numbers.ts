import { shapeBounds } from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";
import { endOfUse, type ShapeUser } from "./shape-uses.js";

/** A skeleton that a record or an hour of a device has, at its time. */
export interface WantedShape {
  readonly device: number;
  readonly skeleton: string;
  readonly at: number;
}

type Quotas = Pick<
  typeof shapeBounds,
  "perDevice" | "perUnclaimedDevice" | "unclaimed" | "perOwner" | "claimed"
>;

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
// With their uses, so that whatever becomes of the records, each counts as its device's, and goes some day.
const insert = statement<
  {
    skeletons: readonly string[];
    devices: readonly number[];
    ends: readonly number[];
    kind: ShapeUser;
  } & Quotas,
  Found
>(
  `SELECT place, id FROM device_gateway.add_telemetry_shapes(
     @skeletons::text[], @devices::integer[], @ends::bigint[], @kind,
     @perDevice, @perUnclaimedDevice, @unclaimed, @perOwner, @claimed)`,
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

/** Numbers skeletons that have none, as far as quotas allow. */
export async function addShapes(
  session: Session,
  kind: ShapeUser,
  wanted: readonly WantedShape[],
): Promise<Map<string, number>> {
  const chosen = chooseSome(wanted);
  if (chosen.length === 0) return new Map();
  const skeletons = chosen.map(({ skeleton }) => skeleton);
  const rows = await insert(session, {
    skeletons,
    devices: chosen.map(({ device }) => device),
    ends: chosen.map(({ at }) => endOfUse(at)),
    kind,
    ...shapeBounds,
  });
  return toMap(skeletons, rows);
}

/** Each skeleton once, and no more of a device than it may ever have. */
function chooseSome(wanted: readonly WantedShape[]): readonly WantedShape[] {
  const counts = new Map<number, number>();
  const chosen = new Map<string, WantedShape>();
  for (const want of wanted) {
    const { device, skeleton } = want;
    const count = counts.get(device) ?? 0;
    const isLong = skeleton.length > shapeBounds.skeletonLength;
    if (isLong || count >= shapeBounds.perDevice || chosen.has(skeleton)) continue;
    chosen.set(skeleton, want);
    counts.set(device, count + 1);
  }
  return [...chosen.values()];
}

const toMap = (asked: readonly string[], rows: readonly Found[]): Map<string, number> =>
  new Map(rows.map(({ place, id }) => [asked[place - 1] as string, id]));
