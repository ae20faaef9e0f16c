import { nextTurn } from "../shared/next-turn.js";

/** A sample or a bucket: its values in the order of the record. */
export interface HistoryPoint {
  readonly timestamp: string;
  readonly values: readonly (readonly [name: string, value: unknown])[];
}

/** Points in the order of time, and the place where older ones begin; null if there are none. */
export interface HistoryPage {
  readonly points: Iterable<HistoryPoint>;
  readonly next: string | null;
}

/** What a history answer is made of. */
export interface HistoryPart {
  /** Each is the JSON of some points, separated by commas; in the order of time. */
  readonly json: readonly string[];
  /** The metrics of all points, in the order in which they come up. */
  readonly metrics: readonly string[];
  /** The most metrics that a point has. */
  readonly mostMetrics: number;
  readonly next: string | null;
}

/** Values of one answer; beyond them it ends sooner than its limit says, and goes on by its cursor. */
const mostValues = 200_000;
/** Values that are written as JSON in one turn of the event loop: some milliseconds. */
const valuesPerTurn = 4_000;

/** Weighs a value: one with several aggregates is an object. */
const weigh = (value: unknown) =>
  typeof value === "object" && value !== null ? Object.keys(value).length : 1;

/** Calls `nextTurn` whenever so many values were worked on since the last call. */
function createPace(mostPerTurn: number) {
  let done = 0;
  return {
    isDue(values: number): boolean {
      done += values;
      return done >= mostPerTurn;
    },
    async turn(): Promise<void> {
      done = 0;
      await nextTurn();
    },
  };
}

type Pace = ReturnType<typeof createPace>;

interface RenderedPage {
  readonly json: readonly string[];
  readonly names: ReadonlySet<string>;
  readonly values: number;
  readonly mostMetrics: number;
}

/** Writes points as JSON and lets go of them, so that a large answer lies in memory as text alone. */
async function render(points: Iterable<HistoryPoint>, pace: Pace): Promise<RenderedPage> {
  const json: string[] = [];
  const names = new Set<string>();
  let some: object[] = [];
  let values = 0;
  let mostMetrics = 0;
  const flush = () => {
    if (some.length > 0) json.push(JSON.stringify(some).slice(1, -1));
    some = [];
  };
  for (const point of points) {
    for (const [name] of point.values) names.add(name);
    values += point.values.length;
    mostMetrics = Math.max(mostMetrics, point.values.length);
    some.push({ ...Object.fromEntries(point.values), timestamp: point.timestamp });
    if (pace.isDue(1 + point.values.length * weigh(point.values[0]?.[1]))) {
      flush();
      await pace.turn();
    }
  }
  flush();
  return { json, names, values, mostMetrics };
}

async function namesIn(pages: readonly RenderedPage[], pace: Pace): Promise<string[]> {
  const all = new Set<string>();
  for (const { names } of pages) {
    for (const name of names) all.add(name);
    if (pace.isDue(names.size)) await pace.turn();
  }
  return [...all];
}

/**
 * Puts a part together from pages, the newest first, each in a turn of the event loop of its own.
 * `readSome` gives the newest of at most so many points before a place.
 */
export async function gatherPart(
  limit: number,
  most: number,
  start: string | null,
  readSome: (place: string | null, limit: number) => Promise<HistoryPage>,
): Promise<HistoryPart> {
  const pace = createPace(valuesPerTurn);
  const pages: RenderedPage[] = [];
  let place = start;
  let values = 0;
  for (let left = limit; left > 0 && values < mostValues; left -= most) {
    await pace.turn();
    const { points, next } = await readSome(place, Math.min(left, most));
    const page = await render(points, pace);
    pages.unshift(page);
    place = next;
    if (next === null) break;
    values += page.values;
  }
  return {
    json: pages.flatMap(({ json }) => json),
    metrics: await namesIn(pages, pace),
    mostMetrics: Math.max(0, ...pages.map((page) => page.mostMetrics)),
    next: place,
  };
}
