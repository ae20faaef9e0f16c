import type { MetricDescription, MetricDescriptions } from "./metric.js";

/** An index of a list in a name: a part of digits. A dot after a backslash belongs to its part. */
const index = /(?<=^|(?<!\\)\.)\d+(?=\.|$)/g;

/**
 * Returns a name with `*` for each index of a list, as descriptions may have it (§7).
 *
 * @example
 * toGeneralName("cells.0.voltage"); // "cells.*.voltage"
 */
export const toGeneralName = (name: string): string => name.replaceAll(index, "*");

/**
 * Returns how a metric is shown (§7). A description of exactly this name is used, else the one in which each index of a
 * list is `*`. Each `*` of its display name becomes the index, counted from 1.
 *
 * @example
 * const all = { "cells.*": { displayName: "Cell *", unit: "V" } };
 * describeMetric(all, "cells.0"); // { displayName: "Cell 1", unit: "V" }
 */
export function describeMetric(descriptions: MetricDescriptions, name: string): MetricDescription {
  const find = (key: string) => (Object.hasOwn(descriptions, key) ? descriptions[key] : undefined);
  const exact = find(name);
  if (exact !== undefined) return exact;
  const general = find(toGeneralName(name));
  if (general?.displayName === undefined) return general ?? {};
  const indexes = name.match(index) ?? [];
  let next = 0;
  const displayName = general.displayName.replaceAll("*", (star) => {
    const found = indexes[next++];
    return found === undefined ? star : String(Number(found) + 1);
  });
  return { ...general, displayName };
}
