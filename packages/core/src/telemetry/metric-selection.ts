/** Selects metrics of a record by name. */
export interface MetricSelection {
  /** Whole names. */
  readonly names: readonly string[];
  /** Beginnings of names, such as `bms.`. */
  readonly prefixes: readonly string[];
  /** Whether all metrics at the top level of a record are selected. */
  readonly topLevel: boolean;
}

/** A part of a list. A backslash keeps the character after it, as in the names of metrics. */
const listPart = /(?:\\.|[^,\\])+/gs;
const endsInEscape = /^(?:\\.|[^\\])*\\$/s;

/** Removes the spaces around a part, except one that a backslash keeps. */
function trim(part: string): string {
  const start = part.trimStart();
  const trimmed = start.trimEnd();
  return endsInEscape.test(trimmed) ? start.slice(0, trimmed.length + 1) : trimmed;
}

const endsInStar = /^(?:\\.|[^\\])*\*$/s;
const withoutEscapes = (part: string) =>
  part.replaceAll(/\\(.)/gs, (pair, character: string) =>
    /[,*\s]/.test(character) ? character : pair,
  );

/**
 * Parses a comma-separated list of names and of prefixes such as `bms.*`. A comma in a name is written `\,`, a `*` at its
 * end `\*`, and a space at its start or end `\ `. Without a list, selects the top level.
 */
export function parseSelection(list: string | undefined): MetricSelection {
  const parts = ((list ?? "").match(listPart) ?? []).flatMap((part) => trim(part) || []);
  const prefixes = parts
    .filter((part) => endsInStar.test(part))
    .map((part) => withoutEscapes(part.slice(0, -1)));
  const names = parts.filter((part) => !endsInStar.test(part)).map(withoutEscapes);
  return { names, prefixes, topLevel: parts.length === 0 };
}

/** Returns whether a name is at the top level. A dot without a backslash before it separates the parts of a path. */
const isTopLevel = (name: string) => !name.replaceAll(/\\./g, "").includes(".");

/** Largest number of names that a selector remembers, because a device can send other names in each record. */
const maxRemembered = 10_000;

/**
 * Creates a function that returns whether a metric is selected. It remembers the result for each name.
 *
 * @example
 * const isWanted = createSelector({ names: ["soc"], prefixes: ["bms."], topLevel: false });
 * isWanted("bms.voltage"); // true
 */
export function createSelector({
  names,
  prefixes,
  topLevel,
}: MetricSelection): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const whole = new Set(names);
  const prefixSet = new Set(prefixes);
  // A query can have very many prefixes, but few different lengths.
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return (name) => {
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const wanted =
      whole.has(name) ||
      lengths.some((length) => prefixSet.has(name.slice(0, length))) ||
      (topLevel && isTopLevel(name));
    if (known.size >= maxRemembered) known.clear();
    known.set(name, wanted);
    return wanted;
  };
}
