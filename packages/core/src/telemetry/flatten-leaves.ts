import { escapeName } from "./flatten-record.js";

/** A value of a record that is not null, an object or a list. */
export type Leaf = string | number | boolean;

/**
 * Returns every string, number and boolean of a record with its path. Paths are written like metric names.
 *
 * @example
 * flattenLeaves({ bms: { ok: true }, mode: "eco" }); // [["bms.ok", true], ["mode", "eco"]]
 */
export function flattenLeaves(record: object): [name: string, value: Leaf][] {
  const leaves: [string, Leaf][] = [];
  const walk = (value: unknown, name: string | null) => {
    if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        walk(member, name === null ? escapeName(key) : `${name}.${escapeName(key)}`);
      }
    } else if (value !== null && value !== undefined) {
      leaves.push([name ?? "", value as Leaf]);
    }
  };
  walk(record, null);
  return leaves;
}
