import { toUtf8 } from "../shared/bytes.js";
import type { Turn } from "../shared/turn.js";
import type { AggregateProgress } from "../telemetry/telemetry-store.js";
import { createPointWriter, type HistoryPoint } from "./point-writer.js";

/** Points in chronological order, and the place at which older points end. Null if there are no older points. */
export interface HistoryPage {
  readonly points: Iterable<HistoryPoint>;
  readonly next: string | null;
}

/** The content of a history response. */
export interface HistoryPart {
  /** Each element is the JSON of some points in UTF-8, in the order of time. A comma precedes each point. */
  readonly json: readonly Uint8Array[];
  /** The metrics of all points, in the order in which they first appear. */
  readonly metrics: readonly string[];
  /** The largest number of metrics in one point. */
  readonly mostMetrics: number;
  readonly next: string | null;
}

/**
 * A response with this many numbers ends before its limit, and its cursor continues it. A value counts once for each of
 * its aggregates.
 */
const maxValues = 200_000;
/** Values that are serialised in one turn of the event loop, which takes some milliseconds. */
const valuesPerTurn = 4_000;

/** Returns the weight of a value. A value with several aggregates is an object. */
const weigh = (value: unknown) =>
  typeof value === "object" && value !== null ? Object.keys(value).length : 1;

/** Creates a pacer that yields after a number of values. `createPacer` yields after a time. */
function createValuePacer(maxPerTurn: number, turn: () => Promise<void>) {
  let done = 0;
  return {
    isDue(values: number): boolean {
      done += values;
      return done >= maxPerTurn;
    },
    async turn(): Promise<void> {
      done = 0;
      await turn();
    },
  };
}

type ValuePacer = ReturnType<typeof createValuePacer>;

interface RenderedPage {
  readonly json: readonly Uint8Array[];
  readonly names: ReadonlySet<string>;
  readonly values: number;
  readonly mostMetrics: number;
}

/** Serialises points one by one and drops them, so that a large response is in memory as bytes only. */
async function render(points: Iterable<HistoryPoint>, pacer: ValuePacer): Promise<RenderedPage> {
  const json: Uint8Array[] = [];
  const names = new Set<string>();
  const write = createPointWriter();
  let some: string[] = [];
  let last: readonly string[] = [];
  let values = 0;
  let mostMetrics = 0;
  const flush = () => {
    if (some.length > 0) json.push(toUtf8(`,${some.join()}`));
    some = [];
  };
  for (const point of points) {
    // Records of one shape share their list of names.
    if (point.names !== last) for (const name of point.names) names.add(name);
    last = point.names;
    const numbers = point.values.length * weigh(point.values[0]);
    values += numbers;
    mostMetrics = Math.max(mostMetrics, point.values.length);
    some.push(write(point));
    if (pacer.isDue(1 + numbers)) {
      flush();
      await pacer.turn();
    }
  }
  flush();
  return { json, names, values, mostMetrics };
}

async function namesIn(pages: readonly RenderedPage[], pacer: ValuePacer): Promise<string[]> {
  const all = new Set<string>();
  for (const { names } of pages) {
    for (const name of names) all.add(name);
    if (pacer.isDue(names.size)) await pacer.turn();
  }
  return [...all];
}

/** How a history is read, and how far. */
export interface Reading {
  /** Called between pieces of work. */
  readonly turn: Turn;
  /** What was read so far. */
  readonly progress: AggregateProgress;
}

interface PartPlan {
  readonly limit: number;
  readonly pageLimit: number;
  readonly start: string | null;
  /** Called between pieces of work. */
  readonly turn: () => Promise<void>;
}

/**
 * Gathers a part from pages, newest first, each in a turn of the event loop of its own. `readSome` returns the newest
 * points before a place, at most `limit`. A page has at most `pageLimit` points.
 */
export async function gatherPart(
  { limit, pageLimit, start, turn }: PartPlan,
  readSome: (place: string | null, limit: number) => Promise<HistoryPage>,
): Promise<HistoryPart> {
  const pacer = createValuePacer(valuesPerTurn, turn);
  const pages: RenderedPage[] = [];
  let place = start;
  let values = 0;
  for (let left = limit; left > 0 && values < maxValues; left -= pageLimit) {
    await pacer.turn();
    const { points, next } = await readSome(place, Math.min(left, pageLimit));
    // This turn charges the time of the database.
    await pacer.turn();
    const page = await render(points, pacer);
    pages.unshift(page);
    place = next;
    if (next === null) break;
    values += page.values;
  }
  return {
    json: pages.flatMap(({ json }) => json),
    metrics: await namesIn(pages, pacer),
    mostMetrics: Math.max(0, ...pages.map((page) => page.mostMetrics)),
    next: place,
  };
}
