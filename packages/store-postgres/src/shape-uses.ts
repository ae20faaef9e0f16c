import { shapeBounds } from "@device-gateway/core/store";
import { type Session, statement } from "./statement.js";

/** A record's time is that of its receipt, an hour's is its own. */
export type ShapeUser = "record" | "hour";

/** Uses are noted ahead, so that a record mostly has nothing to note. */
const aheadMs = 30 * 86_400_000;
export const endOfUse = (at: number): number => at + aheadMs;
/** Devices whose uses a process remembers. */
const remembered = 20_000;

interface UseRow {
  readonly device: number;
  readonly shape: number;
  readonly kind: ShapeUser;
  readonly usedTo: number;
}

/** Which devices use which shapes, and up to when: a shape goes when nothing can need it. */
export interface ShapeUses {
  /** Begins to note uses within a transaction. */
  begin(): UseNotes;
  /** What was noted may be gone, or of some devices, is not all. */
  forget(devices?: Iterable<number>): void;
}

export interface UseNotes {
  /** Call it, with the devices' activity locked, before `take`. */
  know(session: Session, devices: Iterable<number>): Promise<void>;
  /** Whether a device may use a shape at a time; what is to be noted of it is kept for `write`. */
  take(device: number, shape: number, kind: ShapeUser, at: number): boolean;
  write(session: Session): Promise<void>;
  /** Call it when the transaction is committed. */
  committed(): void;
}

const find = statement<{ devices: readonly number[] }, UseRow>(
  `SELECT device, shape, kind, used_to AS "usedTo" FROM device_gateway.telemetry_shape_uses
   WHERE device = ANY (@devices::integer[])`,
);
const note = statement<
  { devices: number[]; shapes: number[]; kinds: string[]; ends: number[] },
  object
>(
  `INSERT INTO device_gateway.telemetry_shape_uses AS u (device, shape, kind, used_to)
   SELECT * FROM unnest(@devices::integer[], @shapes::integer[], @kinds::text[], @ends::bigint[])
     AS taken (device, shape, kind, used_to)
   ORDER BY device, shape, kind
   ON CONFLICT (device, shape, kind) DO UPDATE SET used_to = greatest(u.used_to, excluded.used_to)`,
);
const dropUses = statement<{ kind: ShapeUser; before: number; limit: number }, { count: number }>(
  `WITH over AS MATERIALIZED (
     SELECT device, shape, kind FROM device_gateway.telemetry_shape_uses
     WHERE kind = @kind AND used_to < @before LIMIT @limit FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM device_gateway.telemetry_shape_uses AS u USING over
     WHERE (u.device, u.shape, u.kind) = (over.device, over.shape, over.kind) RETURNING 1
   )
   SELECT count(*) AS count FROM gone`,
);
// A look into the index for each shape. Ordered, or the planner might take a shape for one that many
// use, and look through all uses for the first.
const isUnused = `s.id IS DISTINCT FROM (
     SELECT shape FROM device_gateway.telemetry_shape_uses WHERE shape >= s.id
     ORDER BY shape LIMIT 1)`;
// Who takes a shape into use locks it: what is locked here first is not taken until it is gone.
const lockFree = statement<{ shapes: readonly number[] }, { id: number }>(
  `SELECT id FROM device_gateway.telemetry_shapes WHERE id = ANY (@shapes::integer[])
   FOR UPDATE SKIP LOCKED`,
);
const dropUnused = statement<{ shapes: readonly number[] }, { id: number }>(
  `DELETE FROM device_gateway.telemetry_shapes AS s
   WHERE id = ANY (@shapes::integer[]) AND ${isUnused} RETURNING id`,
);
const findUnused = statement<{ limit: number }, { id: number }>(
  `SELECT id FROM device_gateway.telemetry_shapes AS s WHERE ${isUnused} LIMIT @limit`,
);

/**
 * Drops shapes that no device uses any more, so many at most, not those that one is about to; says
 * how many. In a transaction that does no more: others may wait for it, and it waits for nobody.
 */
export async function sweepShapes(session: Session, limit: number): Promise<number> {
  const unused = await findUnused(session, { limit });
  if (unused.length === 0) return 0;
  const locked = await lockFree(session, { shapes: unused.map(({ id }) => id) });
  return (await dropUnused(session, { shapes: locked.map(({ id }) => id) })).length;
}

/** Drops uses that ended before a time, so many at most, when no row needs them; says how many. */
export async function dropUsesBefore(
  session: Session,
  ended: { readonly kind: ShapeUser; readonly before: number; readonly limit: number },
): Promise<number> {
  return (await dropUses(session, ended))[0]?.count ?? 0;
}

/** The shape's number, negative for hours: it is looked up for each record, and kept for many devices. */
const keyOf = (shape: number, kind: ShapeUser): number => (kind === "hour" ? -shape : shape);

export function createShapeUses(): ShapeUses {
  /** What is committed: by device, then by `keyOf`. */
  const ends = new Map<number, Map<number, number>>();
  const remember = ({ device, shape, kind, usedTo }: UseRow) =>
    ends.get(device)?.set(keyOf(shape, kind), usedTo);

  async function know(session: Session, devices: Iterable<number>): Promise<void> {
    const missing = [...new Set(devices)].filter((device) => !ends.has(device));
    if (missing.length === 0) return;
    const rows = await find(session, { devices: missing });
    if (ends.size + missing.length > remembered) ends.clear();
    for (const device of missing) ends.set(device, new Map());
    for (const row of rows) remember(row);
  }

  function begin(): UseNotes {
    const taken = new Map<number, Map<number, UseRow>>();
    const takenRows = () => [...taken.values()].flatMap((uses) => [...uses.values()]);
    return {
      know,
      take(device, shape, kind, at) {
        const key = keyOf(shape, kind);
        const known = ends.get(device);
        const own = taken.get(device) ?? new Map<number, UseRow>();
        const usedTo = own.get(key)?.usedTo ?? known?.get(key);
        if (usedTo !== undefined && usedTo >= at) return true;
        const isNew = usedTo === undefined;
        if (isNew && (known?.size ?? 0) + own.size >= shapeBounds.perDevice) return false;
        own.set(key, { device, shape, kind, usedTo: endOfUse(at) });
        taken.set(device, own);
        return true;
      },
      async write(session) {
        const uses = takenRows();
        if (uses.length === 0) return;
        await note(session, {
          devices: uses.map(({ device }) => device),
          shapes: uses.map(({ shape }) => shape),
          kinds: uses.map(({ kind }) => kind),
          ends: uses.map(({ usedTo }) => usedTo),
        });
      },
      committed() {
        for (const use of takenRows()) remember(use);
      },
    };
  }

  return {
    begin,
    forget(devices) {
      if (devices === undefined) ends.clear();
      else for (const device of devices) ends.delete(device);
    },
  };
}
