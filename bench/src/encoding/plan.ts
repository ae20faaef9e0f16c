import type { JsonObject, JsonValue } from "../record.js";

/** A record's shape as a tree, to go along records that probably have it. */
export type Plan =
  | { readonly kind: "number" | "boolean" | "string" | "null" }
  | { readonly kind: "array"; readonly members: readonly Plan[] }
  | {
      readonly kind: "object";
      readonly names: readonly string[];
      readonly members: readonly Plan[];
    };

export function planOf(value: JsonValue): Plan {
  if (typeof value === "number") return { kind: Number.isFinite(value) ? "number" : "null" };
  if (typeof value === "boolean") return { kind: "boolean" };
  if (typeof value === "string") return { kind: "string" };
  if (value === null) return { kind: "null" };
  if (Array.isArray(value)) return { kind: "array", members: value.map(planOf) };
  return {
    kind: "object",
    names: Object.keys(value),
    members: Object.values(value as JsonObject).map(planOf),
  };
}

/**
 * Takes a record's values if it has this shape to the name and order; else says false, having
 * taken some. A fifth of what it costs to write the skeleton and look that up.
 */
export function follow(
  plan: Plan,
  value: JsonValue,
  numbers: number[],
  strings: string[],
): boolean {
  switch (plan.kind) {
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return false;
      numbers.push(value);
      return true;
    case "boolean":
      if (typeof value !== "boolean") return false;
      numbers.push(value ? 1 : 0);
      return true;
    case "string":
      if (typeof value !== "string") return false;
      strings.push(value);
      return true;
    case "null":
      return value === null || (typeof value === "number" && !Number.isFinite(value));
    case "array": {
      if (!Array.isArray(value) || value.length !== plan.members.length) return false;
      for (let n = 0; n < value.length; n++) {
        if (!follow(plan.members[n] as Plan, value[n] as JsonValue, numbers, strings)) return false;
      }
      return true;
    }
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const record = value as JsonObject;
      const names = Object.keys(record);
      if (names.length !== plan.names.length) return false;
      for (let n = 0; n < names.length; n++) {
        const name = names[n] as string;
        if (name !== plan.names[n]) return false;
        if (!follow(plan.members[n] as Plan, record[name] as JsonValue, numbers, strings))
          return false;
      }
      return true;
    }
  }
}
