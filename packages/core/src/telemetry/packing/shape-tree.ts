import type { JsonObject, JsonValue } from "../../shared/json.js";
import type { ByteWriter } from "./byte-writer.js";
import { writeNumber } from "./packed-number.js";

/** A shape as a tree, to compare a record with it step by step. */
export type ShapeTree =
  | { readonly kind: "number" | "boolean" | "string" | "null" }
  | { readonly kind: "array"; readonly members: readonly ShapeTree[] }
  | {
      readonly kind: "object";
      readonly names: readonly string[];
      readonly members: readonly ShapeTree[];
    };

export function toShapeTree(value: JsonValue): ShapeTree {
  if (typeof value === "number") return { kind: "number" };
  if (typeof value === "boolean") return { kind: "boolean" };
  if (typeof value === "string") return { kind: "string" };
  if (value === null) return { kind: "null" };
  if (Array.isArray(value)) {
    return { kind: "array", members: (value as readonly JsonValue[]).map(toShapeTree) };
  }
  const members = Object.values(value as JsonObject).map(toShapeTree);
  return { kind: "object", names: Object.keys(value), members };
}

/**
 * Writes a record's numbers and collects its strings. Returns false, possibly midway, if the record has another
 * shape.
 */
export function writeAlong(
  tree: ShapeTree,
  value: JsonValue,
  numbers: ByteWriter,
  strings: string[],
): boolean {
  switch (tree.kind) {
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return false;
      writeNumber(numbers, value);
      return true;
    case "boolean":
      if (typeof value !== "boolean") return false;
      writeNumber(numbers, value ? 1 : 0);
      return true;
    case "string":
      if (typeof value !== "string") return false;
      strings.push(value);
      return true;
    case "null":
      // JSON writes numbers that are not finite as null.
      return value === null || (typeof value === "number" && !Number.isFinite(value));
    case "array": {
      if (!Array.isArray(value) || value.length !== tree.members.length) return false;
      for (let n = 0; n < value.length; n++) {
        if (!writeAlong(tree.members[n] as ShapeTree, value[n] as JsonValue, numbers, strings)) {
          return false;
        }
      }
      return true;
    }
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const record = value as JsonObject;
      let n = 0;
      // A record comes from `JSON.parse`, so it inherits nothing. `for … in` creates no list of names.
      for (const name in record) {
        if (name !== tree.names[n]) return false;
        const member = record[name] as JsonValue;
        if (!writeAlong(tree.members[n] as ShapeTree, member, numbers, strings)) return false;
        n++;
      }
      return n === tree.names.length;
    }
  }
}

/** Builds a record from its values. Each function returns the next value of its type. */
export function buildAlong(
  tree: ShapeTree,
  nextNumber: () => number,
  nextString: () => string,
): JsonValue {
  switch (tree.kind) {
    case "number":
      return nextNumber();
    case "boolean":
      return nextNumber() === 1;
    case "string":
      return nextString();
    case "null":
      return null;
    case "array":
      return tree.members.map((member) => buildAlong(member, nextNumber, nextString));
    case "object": {
      const record: Record<string, JsonValue> = {};
      for (let n = 0; n < tree.names.length; n++) {
        const name = tree.names[n] as string;
        const value = buildAlong(tree.members[n] as ShapeTree, nextNumber, nextString);
        // An assignment to this name would set the prototype.
        if (name === "__proto__") Object.defineProperty(record, name, { ...dataProperty, value });
        else record[name] = value;
      }
      return record;
    }
  }
}

const dataProperty = { configurable: true, enumerable: true, writable: true };
