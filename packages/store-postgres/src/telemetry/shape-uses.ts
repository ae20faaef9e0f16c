import { shapeBounds } from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";
import type { LockedDevice } from "../device/device-numbers.js";
import { dayMs } from "./telemetry-partitions.js";

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
  /** Call it, with the devices locked by this transaction, before `take`. */
  know(session: Session, devices: Iterable<LockedDevice>): Promise<void>;
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
/** Uses of a kind that ended before a time. */
interface Ended {
  readonly kind: ShapeUser;
  readonly before: number;
}

// Devices whose records or hours another process is writing are left to a later call.
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
/** What still refers to a use: it was received, or is an hour, before the use ended. */
const references: Record<ShapeUser, string> = {
  // Measured a day after its receipt at the latest, which an index finds. Of such days few records are left.
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

/**
 * Drops uses that ended before a time, so many at most, and to which no row refers; says how many. Within a
 * transaction: nobody writes rows of the devices until it ends, and whoever does afterwards sees another
 * generation. The second statement sees all that was committed before the devices were locked.
 */
export async function dropUsesBefore(
  session: Session,
  { limit, ...ended }: Ended & { readonly limit: number },
): Promise<number> {
  const users = await lockUsers(session, { ...ended, limit });
  if (users.length === 0) return 0;
  const devices = users.map(({ device }) => device);
  const [dropped] = await dropUses[ended.kind](session, { ...ended, devices, limit });
  return dropped?.count ?? 0;
}

/** The shape's number, negative for hours: it is looked up for each record, and kept for many devices. */
const keyOf = (shape: number, kind: ShapeUser): number => (kind === "hour" ? -shape : shape);

/** The uses of a device that are committed: up to when, by `keyOf`. Whatever a generation has is there. */
interface Known {
  readonly generation: number;
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
    /** As they are known in this transaction: what others make of `known` meanwhile does not matter. */
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
    forget(devices) {
      if (devices === undefined) known.clear();
      else for (const device of devices) known.delete(device);
    },
  };
}
