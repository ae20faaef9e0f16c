import type { IdKind, Ids } from "./ids.js";

/** Which fields of an answer are numbers that the store gives out. What is not named is compared as it is. */
export type IdFields = Readonly<Record<string, IdKind>>;

/** Below these stands what a user sent, whatever its fields are called. */
const opaque = new Set(["value", "values"]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Where two answers differ first; null if they say the same. */
export function findDifference(
  model: unknown,
  store: unknown,
  ids: Ids,
  fields: IdFields,
  path = "",
): string | null {
  if (isObject(model) && isObject(store)) {
    if (Array.isArray(model) !== Array.isArray(store)) return `${path}: not both are arrays`;
    const names = Object.keys(model).sort();
    const others = Object.keys(store).sort();
    if (names.join() !== others.join()) return `${path}: has ${others}, should have ${names}`;
    for (const name of names) {
      const [a, b] = [model[name], store[name]];
      const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const found =
        kind !== undefined && typeof a === "number" && typeof b === "number"
          ? ids.pair(kind, a, b)
          : findDifference(a, b, ids, opaque.has(name) ? {} : fields, `${path}.${name}`);
      if (found !== null) return found;
    }
    return null;
  }
  if (Object.is(model, store)) return null;
  return `${path}: is ${JSON.stringify(store)}, should be ${JSON.stringify(model)}`;
}
