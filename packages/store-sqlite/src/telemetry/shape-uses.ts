import { createBoundedCache, shapeBounds } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";

/** A record's place is its position, an hour's is its time. */
export type ShapeUser = "record" | "hour";

const monthMs = 30 * 86_400_000;
/** Uses are noted ahead, so that a record mostly has nothing to note: at least so many positions. */
const leastPositions = 65_536;
/** Uses that a process remembers. */
const inMemory = 100_000;

/** Which devices use which shapes, and up to where. */
export interface ShapeUses {
  has(device: number, shape: number): boolean;
  count(device: number): number;
  /** Whether a use is noted already, if not yet for this place, which is then noted too: the shape is there, and stays so long. */
  keep(device: number, shape: number, kind: ShapeUser, place: number): boolean;
  note(device: number, shape: number, kind: ShapeUser, place: number): void;
  /** Whether what was noted last is gone, whatever is remembered. Asked once. */
  wereRolledBack(): boolean;
  /** Drops uses that are over when nothing before `place` is left, and shapes without any. */
  dropBefore(kind: ShapeUser, place: number): void;
  dropOf(device: number): void;
  /** Call it when a transaction was rolled back. */
  forget(): void;
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
   * Of records alone: positions only grow, so no process drops a use that a later record may still rely on.
   * Hours do not: an old one may be rolled up after another process has dropped its use.
   */
  const remembered = createBoundedCache<number>(inMemory);
  const nameOf = (...[device, shape, kind]: Use) => `${device} ${shape} ${kind}`;
  let lastNoted: { readonly use: Use; readonly end: number } | undefined;

  function noteAhead(use: Use, place: number): void {
    // An eighth of what is kept: a shape outlasts its use by as much, and is noted as seldom.
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
    forget: () => remembered.clear(),
  };
}
