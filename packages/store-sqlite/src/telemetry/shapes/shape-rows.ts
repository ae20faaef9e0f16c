import {
  createBoundedCache,
  createShapeCache,
  createWeightedCache,
  fromTextContent,
  type JsonObject,
  type RecordShape,
  type RowContent,
  shapeBounds,
  skeletonOf,
  toTextContent,
} from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";
import { type Introducer, prepareShapeQuotas } from "./shape-quotas.js";
import { prepareShapeUses } from "./shape-uses.js";

/** How many lengths of skeletons a process caches: of nearly all shapes that a file can have. */
const inMemory = 10_000;

/** Packs records into row contents and unpacks them. */
export interface ShapeRows {
  /**
   * Packs a record. `position` is where it will be stored; its shape is kept at least that long.
   */
  packRecord(device: number, position: number, record: JsonObject): RowContent;
  unpackRecord(content: RowContent): JsonObject;
  recordShape(shape: number): RecordShape;
  /** Returns the length of a shape's skeleton, without creating the shape. */
  skeletonLength(shape: number): number;
  /** Returns the number of an hour's skeleton, or null if a quota is used up. */
  hourShape(device: number, hour: number, skeleton: string): number | null;
  hourNames(shape: number): readonly string[];
  /**
   * Call it when a transaction begins. If the previous one was rolled back, it drops what that one
   * cached.
   */
  begin(): void;
  /** Drops all cached shapes. Call it when a transaction failed. */
  clearCache(): void;
}

export function prepareShapeRows(database: Database): ShapeRows {
  const uses = prepareShapeUses(database);
  const find = database
    .prepare<[string], number>("SELECT id FROM telemetry_shapes WHERE skeleton = ?")
    .pluck();
  const quotas = prepareShapeQuotas(database);
  const insert = database.prepare<[Introducer & { skeleton: string }]>(
    `INSERT INTO telemetry_shapes (skeleton, device, owner_id)
     VALUES (@skeleton, @device, @ownerId)`,
  );
  const read = database
    .prepare<[number], string>("SELECT skeleton FROM telemetry_shapes WHERE id = ?")
    .pluck();
  /** Devices that use as many shapes as one may. A transaction only adds uses, so each is counted until then. */
  const full = new Set<number>();
  const cache = createShapeCache();
  const lengths = createBoundedCache<number, number>(inMemory);
  const hourNames = createWeightedCache<number, readonly string[]>(shapeBounds.inMemory);
  const hourShapes = createWeightedCache<string, number>(shapeBounds.inMemory);

  const skeletonAt = (shape: number): string => {
    const skeleton = read.get(shape);
    if (skeleton === undefined) throw new Error(`Telemetry shape ${shape} is missing.`);
    return skeleton;
  };
  const recordShape = (shape: number) => cache.find(shape) ?? cache.add(shape, skeletonAt(shape));

  /**
   * Returns the number that the device may use for a skeleton, or undefined if a quota is used up.
   */
  function numberOf(device: number, skeleton: string): number | undefined {
    if (skeleton.length > shapeBounds.skeletonLength) return undefined;
    const known = find.get(skeleton);
    if (known !== undefined && uses.has(device, known)) return known;
    if (full.has(device)) return undefined;
    const introducer = known === undefined ? quotas.find(device) : undefined;
    // Quotas remember a refusal, so it comes before the count, which reads a row for each use.
    if (known === undefined && introducer === undefined) return undefined;
    if (uses.count(device) >= shapeBounds.perDevice) {
      full.add(device);
      return undefined;
    }
    if (introducer === undefined) return known;
    const { lastInsertRowid } = insert.run({ ...introducer, skeleton });
    quotas.noteIntroduced(introducer);
    return Number(lastInsertRowid);
  }

  function clearCache(): void {
    cache.clear();
    lengths.clear();
    uses.clearCache();
    hourNames.clear();
    hourShapes.clear();
  }

  function packAnew(device: number, position: number, record: JsonObject): RowContent {
    const skeleton = skeletonOf(record);
    const shape = numberOf(device, skeleton);
    const content =
      shape === undefined ? undefined : cache.add(shape, skeleton, device).pack(record);
    if (shape === undefined || content === undefined) return toTextContent(record);
    uses.note(device, shape, "record", position);
    return { shape, content };
  }

  return {
    recordShape,
    skeletonLength(shape) {
      const length = lengths.get(shape) ?? skeletonAt(shape).length;
      lengths.set(shape, length);
      return length;
    },
    packRecord(device, position, record) {
      const guessed = cache.pack(device, record);
      if (guessed === undefined) return packAnew(device, position, record);
      const { shape, packed: content } = guessed;
      // If the device does not use the shape yet, it must be counted; and another process may have
      // dropped the shape.
      if (!uses.keep(device, shape, "record", position)) {
        return packAnew(device, position, record);
      }
      return { shape, content };
    },
    unpackRecord: (row) =>
      row.shape === null
        ? (fromTextContent(row) as JsonObject)
        : recordShape(row.shape).unpack(row.content),
    hourShape(device, hour, skeleton) {
      const guessed = hourShapes.get(skeleton);
      if (guessed !== undefined && uses.keep(device, guessed, "hour", hour)) return guessed;
      const shape = numberOf(device, skeleton);
      if (shape === undefined) return null;
      hourShapes.set(skeleton, shape, skeleton.length);
      uses.note(device, shape, "hour", hour);
      return shape;
    },
    hourNames(shape) {
      const known = hourNames.get(shape);
      if (known !== undefined) return known;
      const skeleton = skeletonAt(shape);
      const names = JSON.parse(skeleton) as string[];
      hourNames.set(shape, names, skeleton.length);
      return names;
    },
    begin() {
      quotas.begin();
      full.clear();
      if (uses.wereRolledBack()) clearCache();
    },
    clearCache,
  };
}
