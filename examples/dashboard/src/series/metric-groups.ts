import type { FormatOf } from "./metric-format.js";
import { displayName } from "./metric-names.js";

export interface MetricGroup {
  /** Such as `cellVoltages.*.voltage`, or `Cell *`. */
  readonly title: string;
  readonly names: readonly string[];
}

/** Fewer metrics are quick to choose one by one. */
const minSize = 3;

/** Returns groups of metrics whose names differ only in a number, such as the cells of a battery. */
export function findMetricGroups(
  names: readonly string[],
  formatOf: FormatOf,
): readonly MetricGroup[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    for (const { index, 0: digits } of name.matchAll(/\d+/g)) {
      const title = `${name.slice(0, index)}*${name.slice(index + digits.length)}`;
      groups.set(title, [...(groups.get(title) ?? []), name]);
    }
  }
  return [...groups]
    .filter(([, members]) => members.length >= minSize)
    .map(([title, members]) => {
      const [first = ""] = members;
      const { name } = formatOf(first);
      const isOwn = name !== displayName(first);
      return { title: isOwn ? name.replace(/\d+/, "*") : displayName(title), names: members };
    });
}
