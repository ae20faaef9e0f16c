import {
  type AppendInput,
  createShapeCache,
  createWeightedCache,
  fromTextContent,
  type JsonObject,
  type Logger,
  type RecordShape,
  type RowContent,
  shapeBounds,
  skeletonOf,
  toTextContent,
} from "@device-gateway/core/store";
import { type Session, statement } from "../../database/statement.js";
import { findNumbers } from "../../device/device-numbers.js";
import type { PageRow } from "../cut-page.js";
import { addShapes, findShapes, type WantedShape } from "./shape-numbers.js";
import type { ShapeUser, ShapeUses } from "./shape-uses.js";
import { createShapedReader, type ShapedRows } from "./shaped-rows.js";

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
  /** Reads rows of records with their shapes. Leaves out rows whose shape is missing. */
  readRecords<Row extends RowContent>(
    session: Session,
    readRows: () => Promise<readonly Row[]>,
  ): Promise<ShapedRows<Row, RecordShape>>;
  /** Reads rows of hours with their metric names. Leaves out rows whose names are missing. */
  readHours<Row extends RowContent>(
    session: Session,
    readRows: () => Promise<readonly Row[]>,
  ): Promise<ShapedRows<Row, HourNames>>;
  /** Clears the caches. Call it when another process deleted a cached shape. */
  clearCache(): void;
}

export type PackRequest = Pick<AppendInput, "deviceId" | "receivedAt" | "records">;
export type KnownShapes = ReadonlyMap<number, RecordShape>;
export type RecordPage = ShapedRows<PageRow, RecordShape>;
export type HourNames = readonly string[];

export function unpackRecord(shapes: KnownShapes, row: RowContent): JsonObject {
  return row.shape === null
    ? (fromTextContent(row) as JsonObject)
    : shapeOf(shapes, row.shape).unpack(row.content);
}

/** Returns the shape of a row that was read with its shape. */
export function shapeOf<Shape>(shapes: ReadonlyMap<number, Shape>, shape: number): Shape {
  const known = shapes.get(shape);
  if (known === undefined) throw new Error(`Telemetry shape ${shape} was not loaded.`);
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

export function createShapeRows(uses: ShapeUses, logger: Logger | undefined): ShapeRows {
  const shapedRows = createShapedReader(logger);
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

  /** Returns the shapes that are cached or stored. */
  async function load<Shape>(
    session: Session,
    ids: readonly number[],
    find: (id: number) => Shape | undefined,
    keep: (id: number, skeleton: string) => Shape,
  ): Promise<ReadonlyMap<number, Shape>> {
    const known = new Map<number, Shape>();
    for (const id of ids) {
      const cached = find(id);
      if (cached !== undefined) known.set(id, cached);
    }
    const missing = ids.filter((id) => !known.has(id));
    const found = missing.length > 0 ? await read(session, { ids: missing }) : [];
    for (const { id, skeleton } of found) known.set(id, keep(id, skeleton));
    return known;
  }

  function keepHourNames(id: number, skeleton: string): HourNames {
    const names = JSON.parse(skeleton) as HourNames;
    hourNames.set(id, names, skeleton.length);
    return names;
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
    readRecords: (session, readRows) =>
      shapedRows.read(readRows, (ids) => load(session, ids, cache.find, cache.add)),
    readHours: (session, readRows) =>
      shapedRows.read(readRows, (ids) => load(session, ids, hourNames.get, keepHourNames)),
    clearCache() {
      cache.clear();
      hourNames.clear();
      hourShapes.clear();
      shapedRows.clear();
    },
  };
}
