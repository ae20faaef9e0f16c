import type { JsonObject, JsonValue } from "../record.js";
import { flattenRecord } from "../record.js";

/** Stand in a skeleton where a value stood; JSON text has no control characters of its own. */
const holes = { number: "\u0001", boolean: "\u0002", string: "\u0003" } as const;

const anyHole = new RegExp(`[${Object.values(holes).join("")}]`, "g");

/** A record taken apart: its text with holes, and what stood in them, in order. */
export interface TakenApart {
  readonly skeleton: string;
  readonly numbers: readonly number[];
  readonly strings: readonly string[];
}

const quoted = new Map<string, string>();
function quote(name: string): string {
  let text = quoted.get(name);
  if (text === undefined) {
    text = `${JSON.stringify(name)}:`;
    // Names are the sender's to choose: what is kept of them has a bound.
    if (quoted.size < 10_000) quoted.set(name, text);
  }
  return text;
}

/** Takes a record that came out of `JSON.parse` apart. */
export function takeApart(record: JsonObject): TakenApart {
  const numbers: number[] = [];
  const strings: string[] = [];
  let skeleton = "";
  const walk = (value: JsonValue): void => {
    if (typeof value === "number") {
      // JSON.stringify writes what no double can hold as null.
      if (Number.isFinite(value)) {
        skeleton += holes.number;
        numbers.push(value);
      } else skeleton += "null";
    } else if (typeof value === "boolean") {
      skeleton += holes.boolean;
      numbers.push(value ? 1 : 0);
    } else if (typeof value === "string") {
      skeleton += holes.string;
      strings.push(value);
    } else if (value === null) skeleton += "null";
    else if (Array.isArray(value)) {
      skeleton += "[";
      for (let n = 0; n < value.length; n++) {
        if (n > 0) skeleton += ",";
        walk(value[n] as JsonValue);
      }
      skeleton += "]";
    } else {
      const members = value as JsonObject;
      let mark = "{";
      for (const name of Object.keys(members)) {
        skeleton += mark + quote(name);
        mark = ",";
        walk(members[name] as JsonValue);
      }
      skeleton += mark === "{" ? "{}" : "}";
    }
  };
  walk(record);
  return { skeleton, numbers, strings };
}

/** What all records with one skeleton share. */
export interface Shape {
  readonly id: number;
  /** For each number its metric's name; null where it is none. */
  readonly names: readonly (string | null)[];
  readonly parts: readonly string[];
  readonly kinds: string;
}

export function toShape(id: number, skeleton: string): Shape {
  // A number of its own in each place tells which metric came from where.
  let place = 1;
  const numbered = skeleton.replaceAll(anyHole, (hole) =>
    hole === holes.string ? '""' : String(place++),
  );
  const names: (string | null)[] = new Array<null>(place - 1).fill(null);
  for (const { name, value } of flattenRecord(JSON.parse(numbered) as JsonObject)) {
    names[value - 1] = name;
  }
  const kinds = (skeleton.match(anyHole) ?? []).join("");
  return { id, names, parts: skeleton.split(anyHole), kinds };
}

/** The record's text again, to the byte: what `JSON.stringify` made of it when it came in. */
export function putTogether(
  { parts, kinds }: Shape,
  numbers: ArrayLike<number>,
  strings: readonly string[],
): string {
  let text = parts[0] as string;
  let number = 0;
  let string = 0;
  for (let n = 0; n < kinds.length; n++) {
    if (kinds[n] === holes.number) text += String(numbers[number++]);
    else if (kinds[n] === holes.boolean) text += numbers[number++] === 1 ? "true" : "false";
    else text += JSON.stringify(strings[string++]);
    text += parts[n + 1] as string;
  }
  return text;
}
