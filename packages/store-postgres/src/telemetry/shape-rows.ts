import {
  type AppendInput,
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
import { type Session, statement } from "../database/statement.js";
import { findNumbers } from "../device/device-numbers.js";
import { addShapes, findShapes, type WantedShape } from "./shape-numbers.js";
import type { ShapeUser, ShapeUses } from "./shape-uses.js";

/** Packs records into row contents and unpacks them. */
export interface ShapeRows {
  /**
   * Packs the records of several requests. The number of statements does not depend on the number
   * of requests. Do not call it in a transaction: another process that adds the same shape would
   * wait for its end.
   */
  pack(session: Session, requests: readonly PackRequest[]): Promise<RowContent[][]>;
  /**
   * Returns the number of each hour's skeleton, or null if a quota is used up. Do not call it in a
   * transaction.
   */
  numberHours(session: Session, hours: readonly WantedShape[]): Promise<(number | null)[]>;
  /** Returns the record shapes of the rows, for `unpackRecord` and readers. */
  load(session: Session, rows: readonly RowContent[]): Promise<KnownShapes>;
  /** Returns the metric names of hours, by shape. */
  loadHours(session: Session, rows: readonly RowContent[]): Promise<ReadonlyMap<number, HourNames>>;
  /** Clears the caches. Call it when another process deleted a cached shape. */
  clearCache(): void;
}

export type PackRequest = Pick<AppendInput, "deviceId" | "receivedAt" | "records">;
export type KnownShapes = ReadonlyMap<number, RecordShape>;
export type HourNames = readonly string[];

export function unpackRecord(shapes: KnownShapes, row: RowContent): JsonObject {
  return row.shape === null
    ? (fromTextContent(row) as JsonObject)
    : shapeOf(shapes, row.shape).unpack(row.content);
}

/**
 * The shape of a row is missing: another process deleted both meanwhile, or the database is
 * damaged.
 */
export class MissingShapeError extends Error {
  override readonly name = "MissingShapeError";
}

export function shapeOf<Shape>(shapes: ReadonlyMap<number, Shape>, shape: number): Shape {
  const known = shapes.get(shape);
  if (known === undefined) throw new MissingShapeError(`Telemetry shape ${shape} is missing.`);
  return known;
}

const read = statement<{ ids: readonly number[] }, { id: number; skeleton: string }>(
  "SELECT id, skeleton FROM device_gateway.telemetry_shapes WHERE id = ANY (@ids::integer[])",
);

/** A record whose shape is not cached. */
interface Unknown {
  readonly deviceId: string;
  readonly at: number;
  readonly value: JsonObject;
  readonly skeleton: string;
}

export function createShapeRows(uses: ShapeUses): ShapeRows {
  const cache = createShapeCache();
  const hourNames = createWeightedCache<number, HourNames>(shapeBounds.inMemory);
  const hourShapes = createWeightedCache<string, number>(shapeBounds.inMemory);

  async function add(session: Session, kind: ShapeUser, wanted: readonly WantedShape[]) {
    const added = await addShapes(session, kind, wanted);
    uses.clearCache(new Set(wanted.map(({ device }) => device)));
    return added;
  }

  async function numberRecords(session: Session, unknown: readonly Unknown[]) {
    const found = await findShapes(
      session,
      unknown.map(({ skeleton }) => skeleton),
    );
    const missing = unknown.filter(({ skeleton }) => !found.has(skeleton));
    if (missing.length === 0) return found;
    const deviceIds = [...new Set(missing.map(({ deviceId }) => deviceId))];
    const numbers = await findNumbers(session, deviceIds);
    const wanted = missing.flatMap(({ deviceId, skeleton, at }) => {
      const device = numbers.get(deviceId);
      return device === undefined ? [] : { device, skeleton, at };
    });
    return new Map([...found, ...(await add(session, "record", wanted))]);
  }

  function packAs(shape: number | undefined, { deviceId, value, skeleton }: Unknown): RowContent {
    const known = shape === undefined ? undefined : cache.add(shape, skeleton, deviceId);
    const content = known?.pack(value);
    return shape === undefined || content === undefined ? toTextContent(value) : { shape, content };
  }

  /** Reads the skeletons that are not cached. */
  async function readMissing(
    session: Session,
    rows: readonly RowContent[],
    isKnown: (shape: number) => boolean,
  ) {
    const ids = [...new Set(rows.flatMap(({ shape }) => shape ?? []))];
    const missing = ids.filter((id) => !isKnown(id));
    return { ids, found: missing.length > 0 ? await read(session, { ids: missing }) : [] };
  }

  return {
    async pack(session, requests) {
      const guesses = requests.map(({ deviceId, receivedAt: at, records }) =>
        records.map(({ value }): RowContent | Unknown => {
          const guessed = cache.pack(deviceId, value);
          if (guessed) return { shape: guessed.shape, content: guessed.packed };
          return { deviceId, at, value, skeleton: skeletonOf(value) };
        }),
      );
      const unknown = guesses.flat().filter((guess) => "skeleton" in guess);
      const numbers = await numberRecords(session, unknown);
      return guesses.map((ofRequest) =>
        ofRequest.map((guess) =>
          "skeleton" in guess ? packAs(numbers.get(guess.skeleton), guess) : guess,
        ),
      );
    },
    async numberHours(session, hours) {
      const numbers = new Map<string, number>();
      for (const { skeleton } of hours) {
        const number = hourShapes.get(skeleton);
        if (number !== undefined) numbers.set(skeleton, number);
      }
      const unknown = hours.filter(({ skeleton }) => !numbers.has(skeleton));
      const found = await findShapes(
        session,
        unknown.map(({ skeleton }) => skeleton),
      );
      const missing = unknown.filter(({ skeleton }) => !found.has(skeleton));
      const added = missing.length > 0 ? await add(session, "hour", missing) : [];
      for (const [skeleton, number] of [...found, ...added]) {
        numbers.set(skeleton, number);
        hourShapes.set(skeleton, number, skeleton.length);
      }
      return hours.map(({ skeleton }) => numbers.get(skeleton) ?? null);
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
        hourNames.set(id, names, skeleton.length);
      }
      return known;
    },
    clearCache() {
      cache.clear();
      hourNames.clear();
      hourShapes.clear();
    },
  };
}
