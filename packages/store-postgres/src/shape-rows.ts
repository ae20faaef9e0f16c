import {
  createShapeCache,
  type JsonObject,
  type RecordShape,
  shapeBounds,
  skeletonOf,
} from "@device-gateway/core/store";
import { type Session, statement } from "./statement.js";

/** What a row holds of a record or an hour: values, or, without a shape, JSON text. */
export interface Content {
  readonly shape: number | null;
  readonly content: Uint8Array;
}

/** Turns records into what their rows hold, and back. */
export interface ShapeRows {
  /** Packs records. Not within a transaction: a new shape is there for good. */
  pack(session: Session, deviceId: string, records: readonly JsonObject[]): Promise<Content[]>;
  /** The number of the skeleton of each of some hours; null if there are too many. */
  numberHours(session: Session, skeletons: readonly string[]): Promise<(number | null)[]>;
  /** The shapes of records, for `unpackRecord` and readers. */
  load(session: Session, rows: readonly Content[]): Promise<KnownShapes>;
  /** The names of the metrics of hours. */
  loadHours(session: Session, rows: readonly Content[]): Promise<ReadonlyMap<number, HourNames>>;
  /** A shape that is known here was dropped elsewhere. */
  forget(): void;
}

export type KnownShapes = ReadonlyMap<number, RecordShape>;
export type HourNames = readonly string[];

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export const textOf = ({ content }: Content): unknown => JSON.parse(decoder.decode(content));
export const toText = (value: unknown): Content => ({
  shape: null,
  content: encoder.encode(JSON.stringify(value)),
});

export function unpackRecord(shapes: KnownShapes, row: Content): JsonObject {
  return row.shape === null
    ? (textOf(row) as JsonObject)
    : shapeOf(shapes, row.shape).unpack(row.content);
}

export function shapeOf<Shape>(shapes: ReadonlyMap<number, Shape>, shape: number): Shape {
  const known = shapes.get(shape);
  if (known === undefined) throw new Error(`Telemetry shape ${shape} is missing.`);
  return known;
}

// A digest that can be forged finds the row, and no more: another skeleton with it has no shape.
const digest = "md5(skeleton)";
const find = statement<{ skeleton: string }, { id: number }>(
  `SELECT id FROM device_gateway.telemetry_shapes
   WHERE ${digest} = md5(@skeleton) AND skeleton = @skeleton`,
);
const insert = statement<{ skeleton: string; bound: number }, { id: number }>(
  `INSERT INTO device_gateway.telemetry_shapes (skeleton)
   SELECT @skeleton::text WHERE (SELECT count(*) FROM device_gateway.telemetry_shapes) < @bound::bigint
   ON CONFLICT (${digest}) DO NOTHING RETURNING id`,
);
const read = statement<{ ids: readonly number[] }, { id: number; skeleton: string }>(
  "SELECT id, skeleton FROM device_gateway.telemetry_shapes WHERE id = ANY (@ids::integer[])",
);

export function createShapeRows(): ShapeRows {
  const cache = createShapeCache();
  const hourNames = new Map<number, HourNames>();
  const hourShapes = new Map<string, number>();

  async function numberOf(session: Session, skeleton: string): Promise<number | null> {
    if (skeleton.length > shapeBounds.skeletonLength) return null;
    const [known] = await find(session, { skeleton });
    if (known !== undefined) return known.id;
    const [added] = await insert(session, { skeleton, bound: shapeBounds.perGateway });
    // None: there are too many, or another process was faster.
    return (added ?? (await find(session, { skeleton }))[0])?.id ?? null;
  }

  async function packAnew(session: Session, record: JsonObject): Promise<Content> {
    const skeleton = skeletonOf(record);
    const shape = await numberOf(session, skeleton);
    const content = shape === null ? undefined : cache.add(shape, skeleton).pack(record);
    return content === undefined ? toText(record) : { shape, content };
  }

  /** Reads the skeletons of the rows that have none here yet. */
  async function readMissing(
    session: Session,
    rows: readonly Content[],
    isKnown: (shape: number) => boolean,
  ) {
    const ids = [...new Set(rows.flatMap(({ shape }) => shape ?? []))];
    const missing = ids.filter((id) => !isKnown(id));
    return { ids, found: missing.length > 0 ? await read(session, { ids: missing }) : [] };
  }

  return {
    async pack(session, deviceId, records) {
      const contents: Content[] = [];
      for (const record of records) {
        const guessed = cache.pack(deviceId, record);
        contents.push(
          guessed === undefined
            ? await packAnew(session, record)
            : { shape: guessed.shape, content: guessed.packed },
        );
      }
      return contents;
    },
    async numberHours(session, skeletons) {
      const numbers: (number | null)[] = [];
      for (const skeleton of skeletons) {
        const number = hourShapes.get(skeleton) ?? (await numberOf(session, skeleton));
        if (number !== null) hourShapes.set(skeleton, number);
        if (hourShapes.size > shapeBounds.inMemory) hourShapes.clear();
        numbers.push(number);
      }
      return numbers;
    },
    async load(session, rows) {
      const known = new Map<number, RecordShape>();
      const { ids, found } = await readMissing(session, rows, (shape) => {
        const shapeHere = cache.find(shape);
        if (shapeHere) known.set(shape, shapeHere);
        return shapeHere !== undefined;
      });
      for (const { id, skeleton } of found) known.set(id, cache.add(id, skeleton));
      for (const id of ids) shapeOf(known, id);
      return known;
    },
    async loadHours(session, rows) {
      const known = new Map<number, HourNames>();
      const { found } = await readMissing(session, rows, (shape) => {
        const names = hourNames.get(shape);
        if (names) known.set(shape, names);
        return names !== undefined;
      });
      for (const { id, skeleton } of found) {
        const names = JSON.parse(skeleton) as HourNames;
        known.set(id, names);
        if (hourNames.size >= shapeBounds.inMemory) hourNames.clear();
        hourNames.set(id, names);
      }
      return known;
    },
    forget() {
      cache.clear();
      hourNames.clear();
      hourShapes.clear();
    },
  };
}
