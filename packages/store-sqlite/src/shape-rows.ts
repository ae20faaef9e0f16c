import {
  createShapeCache,
  type JsonObject,
  type RecordShape,
  shapeBounds,
  skeletonOf,
} from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
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
  /** The number of the skeleton of an hour; null if there are too many. */
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
  const insert = database.prepare<[string]>("INSERT INTO telemetry_shapes (skeleton) VALUES (?)");
  const count = database.prepare<[], number>("SELECT count(*) FROM telemetry_shapes").pluck();
  const read = database
    .prepare<[number], string>("SELECT skeleton FROM telemetry_shapes WHERE id = ?")
    .pluck();
  const cache = createShapeCache();
  const hourNames = new Map<number, readonly string[]>();
  const hourShapes = new Map<string, number>();

  const skeletonAt = (shape: number): string => {
    const skeleton = read.get(shape);
    if (skeleton === undefined) throw new Error(`Telemetry shape ${shape} is missing.`);
    return skeleton;
  };
  const recordShape = (shape: number) => cache.find(shape) ?? cache.add(shape, skeletonAt(shape));

  /** The number that a device may use for a skeleton; undefined when there are too many. */
  function numberOf(device: number, skeleton: string): number | undefined {
    if (skeleton.length > shapeBounds.skeletonLength) return undefined;
    const known = find.get(skeleton);
    if (known !== undefined && uses.has(device, known)) return known;
    if (uses.count(device) >= shapeBounds.perDevice) return undefined;
    if (known !== undefined) return known;
    if ((count.get() as number) >= shapeBounds.perGateway) return undefined;
    return Number(insert.run(skeleton).lastInsertRowid);
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
    const content = shape === undefined ? undefined : cache.add(shape, skeleton).pack(record);
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
      if (hourShapes.size >= shapeBounds.inMemory) hourShapes.clear();
      hourShapes.set(skeleton, shape);
      uses.note(device, shape, "hour", hour);
      return shape;
    },
    hourNames(shape) {
      const known = hourNames.get(shape);
      if (known !== undefined) return known;
      if (hourNames.size >= shapeBounds.inMemory) hourNames.clear();
      const names = JSON.parse(skeletonAt(shape)) as string[];
      hourNames.set(shape, names);
      return names;
    },
    begin() {
      if (uses.wereRolledBack()) forget();
    },
    forget,
  };
}
