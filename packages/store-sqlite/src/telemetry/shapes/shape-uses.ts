import { createBoundedCache, dayMs, shapeBounds } from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";

/** What uses a shape. The place of a record is its position, that of an hour its start. */
export type ShapeUser = "record" | "hour";

const monthMs = 30 * dayMs;
/** A use is recorded at least this many positions ahead, so that most records need no write. */
const leastPositions = 65_536;
/** How many uses a process caches. */
const inMemory = 100_000;

/** Records which devices use which shapes, and up to which place. */
export interface ShapeUses {
  has(device: number, shape: number): boolean;
  count(device: number): number;
  /**
   * Returns whether the device already uses the shape, and extends the use to `place` if necessary.
   * If true, the shape exists and stays that long.
   */
  keep(device: number, shape: number, kind: ShapeUser, place: number): boolean;
  note(device: number, shape: number, kind: ShapeUser, place: number): void;
  /** Returns whether the last recorded use was rolled back. Call it once per transaction. */
  wereRolledBack(): boolean;
  /** Deletes uses that ended before `place`, and shapes that have no uses left. */
  dropBefore(kind: ShapeUser, place: number): void;
  dropOf(device: number): void;
  /** Clears the cache. Call it when a transaction was rolled back. */
  clearCache(): void;
}

type Use = [device: number, shape: number, kind: ShapeUser];

export function prepareShapeUses(database: Database): ShapeUses {
  const has = database.prepare<[number, number]>(
    "SELECT 1 FROM telemetry_shape_uses WHERE device = ? AND shape = ? LIMIT 1",
  );
  const count = database
    .prepare<[number, number], number>(
      "SELECT count(*) FROM (SELECT 1 FROM telemetry_shape_uses WHERE device = ? LIMIT ?)",
    )
    .pluck();
  const usedTo = database
    .prepare<Use, number>(
      "SELECT used_to FROM telemetry_shape_uses WHERE device = ? AND shape = ? AND kind = ?",
    )
    .pluck();
  const note = database.prepare<[...Use, usedTo: number]>(
    `INSERT INTO telemetry_shape_uses (device, shape, kind, used_to) VALUES (?, ?, ?, ?)
     ON CONFLICT (device, shape, kind) DO UPDATE SET used_to = max(used_to, excluded.used_to)`,
  );
  const firstPosition = database
    .prepare<[], number | null>("SELECT min(position) FROM telemetry")
    .pluck();
  const dropOld = database
    .prepare<[ShapeUser, number], number>(
      `DELETE FROM telemetry_shape_uses WHERE (device, shape, kind) IN
         (SELECT device, shape, kind FROM telemetry_shape_uses
          WHERE kind = ? AND used_to < ? LIMIT 500)
       RETURNING shape`,
    )
    .pluck();
  const dropOf = database
    .prepare<[number], number>("DELETE FROM telemetry_shape_uses WHERE device = ? RETURNING shape")
    .pluck();
  const dropUnused = database.prepare<[{ shape: number }]>(
    `DELETE FROM telemetry_shapes WHERE id = @shape
     AND NOT EXISTS (SELECT 1 FROM telemetry_shape_uses WHERE shape = @shape)`,
  );
  /**
   * Caches the uses of records only. Positions only grow, so no process deletes a use that a later
   * record relies on. An old hour may be rolled up after another process has deleted its use.
   */
  const remembered = createBoundedCache<number>(inMemory);
  const nameOf = (...[device, shape, kind]: Use) => `${device} ${shape} ${kind}`;
  let lastNoted: { readonly use: Use; readonly end: number } | undefined;

  function noteAhead(use: Use, place: number): void {
    // Extends the use by an eighth of the stored positions: a shape outlives its use by that much,
    // and its use is rewritten rarely.
    const [, , kind] = use;
    const kept = kind === "hour" ? 0 : place - (firstPosition.get() ?? place);
    const end = place + (kind === "hour" ? monthMs : leastPositions + Math.floor(kept / 8));
    note.run(...use, end);
    if (kind === "record") remembered.set(nameOf(...use), end);
    lastNoted = { use, end };
  }

  const drop = (shapes: readonly number[]) => {
    for (const shape of new Set(shapes)) dropUnused.run({ shape });
  };

  return {
    has: (device, shape) => has.get(device, shape) !== undefined,
    count: (device) => count.get(device, shapeBounds.perDevice) ?? 0,
    keep(device, shape, kind, place) {
      const name = nameOf(device, shape, kind);
      if (place <= (remembered.get(name) ?? Number.NEGATIVE_INFINITY)) return true;
      const end = usedTo.get(device, shape, kind);
      if (end === undefined) return false;
      if (end < place) noteAhead([device, shape, kind], place);
      else if (kind === "record") remembered.set(name, end);
      return true;
    },
    note: (device, shape, kind, place) => noteAhead([device, shape, kind], place),
    wereRolledBack() {
      const last = lastNoted;
      lastNoted = undefined;
      return last !== undefined && (usedTo.get(...last.use) ?? Number.NEGATIVE_INFINITY) < last.end;
    },
    dropBefore: (kind, place) => drop(dropOld.all(kind, place)),
    dropOf: (device) => drop(dropOf.all(device)),
    clearCache: () => remembered.clear(),
  };
}
