import { escapeName } from "../telemetry/flatten-record.js";

/** Returns every string, number and boolean of a record with its path, which is named like a metric. */
export function flattenLeaves(record: object): [name: string, value: string | number | boolean][] {
  const leaves: [string, string | number | boolean][] = [];
  const walk = (value: unknown, name: string) => {
    if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        walk(member, name === "" ? escapeName(key) : `${name}.${escapeName(key)}`);
      }
    } else if (value !== null && value !== undefined) {
      leaves.push([name, value as string | number | boolean]);
    }
  };
  walk(record, "");
  return leaves;
}
