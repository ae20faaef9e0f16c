import type { IdKind, Ids } from "./ids.js";

/** Fields of an answer that are numbers chosen by the store. All other fields must be equal. */
export type IdFields = Readonly<Record<string, IdKind>>;

/** Fields that contain user data, in which no field is a store's number. */
const opaque = new Set(["value", "values"]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Returns the first difference between two answers, or null if they are equivalent. */
export function findDifference(
  model: unknown,
  store: unknown,
  ids: Ids,
  fields: IdFields,
  path = "",
): string | null {
  if (isObject(model) && isObject(store)) {
    if (Array.isArray(model) !== Array.isArray(store)) return `${path}: only one is an array`;
    const names = Object.keys(model).sort();
    const others = Object.keys(store).sort();
    if (names.join() !== others.join()) return `${path}: has ${others}, expected ${names}`;
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
  return `${path}: is ${JSON.stringify(store)}, expected ${JSON.stringify(model)}`;
}
