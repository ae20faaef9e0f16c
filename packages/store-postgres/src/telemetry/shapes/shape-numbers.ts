import { shapeBounds } from "@device-gateway/core/store";
import { type Session, statement } from "../../database/statement.js";
import { endOfUse, type ShapeUser } from "./shape-uses.js";

/** The skeleton of a record or an hour, with its device and time. */
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
  /** The place of the skeleton in the request, counted from 1. */
  readonly place: number;
  readonly id: number;
}

// MD5 only finds the row, so forging it gains nothing: a different skeleton with the same digest
// gets no shape.
const digest = "md5(skeleton)";
const find = statement<{ skeletons: readonly string[] }, Found>(
  `SELECT w.place, s.id FROM unnest(@skeletons::text[]) WITH ORDINALITY AS w (wanted, place),
   LATERAL (
     SELECT id FROM device_gateway.telemetry_shapes
     WHERE ${digest} = md5(w.wanted) AND skeleton = w.wanted LIMIT 1
   ) AS s`,
);
// Inserts the uses with the shapes. Even if the records are never stored, each shape counts against its device and is
// deleted eventually.
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

/** Returns the numbers of the skeletons that are stored. */
export async function findShapes(
  session: Session,
  skeletons: Iterable<string>,
): Promise<Map<string, number>> {
  const asked = [...new Set(skeletons)].filter(
    ({ length }) => length <= shapeBounds.skeletonLength,
  );
  return asked.length === 0 ? new Map() : toMap(asked, await find(session, { skeletons: asked }));
}

/** Stores new skeletons as far as quotas allow. Returns their numbers. */
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

/** Returns each skeleton once, and no more per device than its quota. */
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
