import {
  createShapeCache,
  createWeighedCache,
  type JsonObject,
  type RecordShape,
  shapeBounds,
  skeletonOf,
} from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import { type Introducer, prepareShapeQuotas } from "./shape-quotas.js";
import { prepareShapeUses } from "./shape-uses.js";

/** What a row holds of a record or an hour: values, or, without a shape, JSON text. */
export interface Content {
  readonly shape: number | null;
  readonly content: Uint8Array;
}

/** Turns records into what their rows hold, and back. */
export interface ShapeRows {
  /** Where a record is going to lie: its shape is kept for as long. */
  packRecord(device: number, position: number, record: JsonObject): Content;
  unpackRecord(content: Content): JsonObject;
  recordShape(shape: number): RecordShape;
  /** The number of the skeleton of an hour; null when a quota is used up. */
  hourShape(device: number, hour: number, skeleton: string): number | null;
  hourNames(shape: number): readonly string[];
  /** Call it as a transaction begins: if the one before was rolled back, what it added is forgotten. */
  begin(): void;
  /** Forgets all that a transaction may have added: call it when one has failed. */
  forget(): void;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export const textOf = ({ content }: Content): unknown => JSON.parse(decoder.decode(content));
export const toText = (value: unknown): Content => ({
  shape: null,
  content: encoder.encode(JSON.stringify(value)),
});

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
  const cache = createShapeCache();
  const hourNames = createWeighedCache<number, readonly string[]>(shapeBounds.inMemory);
  const hourShapes = createWeighedCache<string, number>(shapeBounds.inMemory);

  const skeletonAt = (shape: number): string => {
    const skeleton = read.get(shape);
    if (skeleton === undefined) throw new Error(`Telemetry shape ${shape} is missing.`);
    return skeleton;
  };
  const recordShape = (shape: number) => cache.find(shape) ?? cache.add(shape, skeletonAt(shape));

  /** The number that a device may use for a skeleton; undefined when a quota is used up. */
  function numberOf(device: number, skeleton: string): number | undefined {
    if (skeleton.length > shapeBounds.skeletonLength) return undefined;
    const known = find.get(skeleton);
    if (known !== undefined && uses.has(device, known)) return known;
    if (uses.count(device) >= shapeBounds.perDevice) return undefined;
    if (known !== undefined) return known;
    const introducer = quotas.find(device);
    if (introducer === undefined) return undefined;
    return Number(insert.run({ ...introducer, skeleton }).lastInsertRowid);
  }

  function forget(): void {
    cache.clear();
    uses.forget();
    hourNames.clear();
    hourShapes.clear();
  }

  function packAnew(device: number, position: number, record: JsonObject): Content {
    const skeleton = skeletonOf(record);
    const shape = numberOf(device, skeleton);
    const content =
      shape === undefined ? undefined : cache.add(shape, skeleton, device).pack(record);
    if (shape === undefined || content === undefined) return toText(record);
    uses.note(device, shape, "record", position);
    return { shape, content };
  }

  return {
    recordShape,
    packRecord(device, position, record) {
      const guessed = cache.pack(device, record);
      if (guessed === undefined) return packAnew(device, position, record);
      const { shape, packed: content } = guessed;
      // Whose it is not yet has to be counted, and another process may have dropped it.
      if (!uses.keep(device, shape, "record", position)) {
        return packAnew(device, position, record);
      }
      return { shape, content };
    },
    unpackRecord: (row) =>
      row.shape === null ? (textOf(row) as JsonObject) : recordShape(row.shape).unpack(row.content),
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
      if (uses.wereRolledBack()) forget();
    },
    forget,
  };
}
