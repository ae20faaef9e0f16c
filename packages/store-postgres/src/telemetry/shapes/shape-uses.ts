import { dayMs, shapeBounds } from "@device-gateway/core/store";
import { countOf, type Session, statement } from "../../database/statement.js";
import type { LockedDevice } from "../../device/device-numbers.js";

/** What uses a shape. The time of a record is its receipt, that of an hour its start. */
export type ShapeUser = "record" | "hour";

/** A use is recorded this far ahead, so that most records need no write. */
const useAheadMs = 30 * dayMs;
export const endOfUse = (at: number): number => at + useAheadMs;
/** How many devices' uses a process caches. */
const remembered = 20_000;

interface UseRow {
  readonly device: number;
  readonly shape: number;
  readonly kind: ShapeUser;
  readonly usedTo: number;
}

/**
 * Records which devices use which shapes, and until when. A shape is deleted when nothing can need
 * it.
 */
export interface ShapeUses {
  /** Starts recording uses within a transaction. */
  begin(): UseNotes;
  /** Drops the cached uses of some devices, or of all. */
  clearCache(devices?: Iterable<number>): void;
}

export interface UseNotes {
  /** Loads the uses of devices that this transaction has locked. Call it before `take`. */
  know(session: Session, devices: Iterable<LockedDevice>): Promise<void>;
  /** Returns whether the device may use the shape at `at`. `write` stores new and extended uses. */
  take(device: number, shape: number, kind: ShapeUser, at: number): boolean;
  write(session: Session): Promise<void>;
  /** Adds the uses to the cache. Call it after the commit. */
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
/** Uses of a kind that ended before a time. */
interface Ended {
  readonly kind: ShapeUser;
  readonly before: number;
}

// Skips devices whose records or hours another process is writing. A later call handles them.
const lockUsers = statement<Ended & { limit: number }, { device: number }>(
  `WITH ended AS MATERIALIZED (
     SELECT DISTINCT device FROM (
       SELECT device FROM device_gateway.telemetry_shape_uses
       WHERE kind = @kind AND used_to < @before LIMIT @limit) AS u
   ), locked AS (
     SELECT number FROM device_gateway.device_activity WHERE number IN (SELECT device FROM ended)
     FOR UPDATE SKIP LOCKED
   )
   SELECT device FROM ended
   WHERE device IN (SELECT number FROM locked)
     OR NOT EXISTS (SELECT FROM device_gateway.device_activity WHERE number = device)`,
);
/** Selects what still needs a use: records received, or hours that began, before the use ended. */
const references: Record<ShapeUser, string> = {
  // A record's timestamp is at most a day after its receipt, and an index finds it. Few records of
  // such days are left.
  record: `SELECT FROM device_gateway.telemetry AS t
    WHERE t.device = u.device AND t.at < @before::bigint + ${dayMs} AND t.received_at <= u.used_to`,
  hour: `SELECT FROM device_gateway.telemetry_rollups AS r
    WHERE r.device = u.device AND r.hour <= u.used_to`,
};
const prepareDrop = (kind: ShapeUser) =>
  statement<Ended & { devices: readonly number[]; limit: number }, { count: number }>(
    `WITH over AS MATERIALIZED (
       SELECT device, shape, kind FROM device_gateway.telemetry_shape_uses AS u
       WHERE device = ANY (@devices::integer[]) AND kind = @kind AND used_to < @before
         AND NOT EXISTS (${references[kind]})
       LIMIT @limit FOR UPDATE OF u SKIP LOCKED
     ), raised AS (
       UPDATE device_gateway.device_activity SET shape_generation = shape_generation + 1
       WHERE number IN (SELECT device FROM over)
     ), gone AS (
       DELETE FROM device_gateway.telemetry_shape_uses AS u USING over
       WHERE (u.device, u.shape, u.kind) = (over.device, over.shape, over.kind) RETURNING 1
     )
     SELECT count(*) AS count FROM gone`,
  );
const dropUses = { record: prepareDrop("record"), hour: prepareDrop("hour") };
// One index lookup per shape. Without ORDER BY, the planner might expect many uses of the shape and
// scan all uses for the first.
const isUnused = `s.id IS DISTINCT FROM (
     SELECT shape FROM device_gateway.telemetry_shape_uses WHERE shape >= s.id
     ORDER BY shape LIMIT 1)`;
// A transaction that begins to use a shape locks it. A shape that is locked here cannot be taken
// into use until it is deleted.
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
 * Deletes up to `limit` shapes that no device uses or begins to use. Returns how many. Run it in a
 * transaction of its own: others may wait for it, and it waits for nobody.
 */
export async function sweepShapes(session: Session, limit: number): Promise<number> {
  const unused = await findUnused(session, { limit });
  if (unused.length === 0) return 0;
  const locked = await lockFree(session, { shapes: unused.map(({ id }) => id) });
  return (await dropUnused(session, { shapes: locked.map(({ id }) => id) })).length;
}

/**
 * Deletes up to `limit` uses that ended before a time and that no row needs. Returns how many. Run
 * it in a transaction: nobody writes rows of the devices until it ends, and later writers see a new
 * generation. The second statement sees everything that was committed before the devices were
 * locked.
 */
export async function dropUsesBefore(
  session: Session,
  { limit, ...ended }: Ended & { readonly limit: number },
): Promise<number> {
  const users = await lockUsers(session, { ...ended, limit });
  if (users.length === 0) return 0;
  const devices = users.map(({ device }) => device);
  return countOf(await dropUses[ended.kind](session, { ...ended, devices, limit }));
}

/**
 * The shape's number, negated for hours. A number, because it is looked up for each record and
 * cached for many devices.
 */
const keyOf = (shape: number, kind: ShapeUser): number => (kind === "hour" ? -shape : shape);

/**
 * The committed uses of a device: when each ends, by `keyOf`. All uses of the generation are
 * present.
 */
interface Known {
  readonly generation: string;
  readonly ends: Map<number, number>;
}

export function createShapeUses(): ShapeUses {
  const known = new Map<number, Known>();

  async function load(session: Session, devices: readonly LockedDevice[]): Promise<void> {
    const rows = await find(session, { devices: devices.map(({ number }) => number) });
    if (known.size + devices.length > remembered) known.clear();
    for (const { number, generation } of devices) {
      known.set(number, { generation, ends: new Map() });
    }
    for (const { device, shape, kind, usedTo } of rows) {
      known.get(device)?.ends.set(keyOf(shape, kind), usedTo);
    }
  }

  function begin(): UseNotes {
    /** The uses as this transaction loaded them. Later changes of `known` do not matter to it. */
    const endsOf = new Map<number, Map<number, number>>();
    const taken = new Map<number, Map<number, UseRow>>();
    const takenRows = () => [...taken.values()].flatMap((uses) => [...uses.values()]);
    return {
      async know(session, devices) {
        const missing: LockedDevice[] = [];
        for (const device of devices) {
          const found = known.get(device.number);
          if (found?.generation === device.generation) endsOf.set(device.number, found.ends);
          else missing.push(device);
        }
        if (missing.length === 0) return;
        await load(session, missing);
        for (const { number } of missing) {
          endsOf.set(number, known.get(number)?.ends ?? new Map<number, number>());
        }
      },
      take(device, shape, kind, at) {
        const key = keyOf(shape, kind);
        const ends = endsOf.get(device);
        const own = taken.get(device) ?? new Map<number, UseRow>();
        const usedTo = own.get(key)?.usedTo ?? ends?.get(key);
        if (usedTo !== undefined && usedTo >= at) return true;
        const isNew = usedTo === undefined;
        if (isNew && (ends?.size ?? 0) + own.size >= shapeBounds.perDevice) return false;
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
        for (const { device, shape, kind, usedTo } of takenRows()) {
          endsOf.get(device)?.set(keyOf(shape, kind), usedTo);
        }
      },
    };
  }

  return {
    begin,
    clearCache(devices) {
      if (devices === undefined) known.clear();
      else for (const device of devices) known.delete(device);
    },
  };
}
