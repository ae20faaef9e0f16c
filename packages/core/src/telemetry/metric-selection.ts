/** Which metrics of a record are wanted. */
export interface MetricSelection {
  /** Whole names. */
  readonly names: readonly string[];
  /** Names that begin so, such as `bms.`. */
  readonly prefixes: readonly string[];
  /** All that stand at the top of a record. */
  readonly topLevel: boolean;
}

/** Reads a comma list of names and of prefixes such as `bms.*`; without one, the top level is meant. */
export function parseSelection(list: string | undefined): MetricSelection {
  const parts = (list ?? "").split(",").flatMap((part) => part.trim() || []);
  const prefixes = parts.filter((part) => part.endsWith("*")).map((part) => part.slice(0, -1));
  const names = parts.filter((part) => !part.endsWith("*"));
  return { names, prefixes, topLevel: parts.length === 0 };
}

/** A dot that is not escaped joins a path. */
const isTopLevel = (name: string) => !name.replaceAll(/\\./g, "").includes(".");

/** Names that a selector remembers: a device may send others in each record. */
const mostRemembered = 10_000;

/** Tells whether a metric is wanted. Remembers each name, of which a device has few. */
export function createSelector({
  names,
  prefixes,
  topLevel,
}: MetricSelection): (name: string) => boolean {
  const known = new Map<string, boolean>();
  const whole = new Set(names);
  const beginnings = new Set(prefixes);
  // A query may list very many; few of them differ in length.
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return (name) => {
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const wanted =
      whole.has(name) ||
      lengths.some((length) => beginnings.has(name.slice(0, length))) ||
      (topLevel && isTopLevel(name));
    if (known.size >= mostRemembered) known.clear();
    known.set(name, wanted);
    return wanted;
  };
}
