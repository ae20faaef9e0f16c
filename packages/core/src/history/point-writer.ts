/** A sample or a bucket. Its values are in the order of its names. */
export interface HistoryPoint {
  readonly timestamp: string;
  readonly names: readonly string[];
  readonly values: ArrayLike<unknown>;
}

/** A field of a point's JSON: the text before its value, and the place of the value. Undefined: the timestamp. */
interface Field {
  readonly before: string;
  readonly place: number | undefined;
}

function fieldsOf(names: readonly string[]): Field[] {
  const places = {
    ...Object.fromEntries(names.map((name, place) => [name, place])),
    timestamp: undefined,
  };
  return Object.entries(places).map(([key, place], n) => ({
    before: `${n === 0 ? "{" : ","}${JSON.stringify(key)}:`,
    place,
  }));
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one === other || (one.length === other.length && one.every((name, n) => name === other[n]));

const toJson = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? String(value) : JSON.stringify(value);

/**
 * Creates a function that returns a point's JSON, as `JSON.stringify` would write an object with the point's values and
 * its timestamp. It creates no such object. That takes a third of the time and leaves little garbage, because usually
 * all points have the same names.
 */
export function createPointWriter(): (point: HistoryPoint) => string {
  let last: readonly string[] | undefined;
  let fields: readonly Field[] = [];
  return ({ timestamp, names, values }) => {
    if (last === undefined || !isSameList(last, names)) fields = fieldsOf(names);
    last = names;
    let text = "";
    for (const { before, place } of fields) {
      text += before + (place === undefined ? JSON.stringify(timestamp) : toJson(values[place]));
    }
    return `${text}}`;
  };
}
