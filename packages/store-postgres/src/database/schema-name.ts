import { createHash } from "node:crypto";
import { lockClasses, sequenceTags } from "./lock-numbers.js";

/** The schema that all SQL of this package names. */
export const defaultSchema = "device_gateway";

/** Finds the numbers of advisory locks in SQL. */
const lockNumbers = new RegExp(
  `\\b(?:${[...Object.values(sequenceTags), ...Object.values(lockClasses)].join("|")})\\b`,
  "g",
);

/**
 * Checks the name of a schema. It is written into SQL without quotes, so only plain names are allowed.
 * @throws {TypeError} if it is not a plain name.
 */
export function checkSchemaName(schema: string): void {
  if (typeof schema === "string" && /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(schema)) return;
  throw new TypeError(
    'schema: pass a name of 1 to 63 lower-case letters, digits and underscores, such as "device_gateway". It must not begin with a digit or "pg_".',
  );
}

/**
 * Returns what is added to the numbers of the advisory locks. It is a multiple of 8, so that the numbers of two schemas
 * overlap completely or not at all: the numbers of one schema span less than 8. All stay below 2^15.
 */
function lockOffsetOf(schema: string): number {
  if (schema === defaultSchema) return 0;
  const digest = createHash("sha256").update(schema).digest();
  return 8 * (1 + (digest.readUInt16BE() % 1_900));
}

/** Returns whether two schemas have the same advisory locks, so that they would wait for each other. */
export const haveSameLocks = (one: string, other: string): boolean =>
  one !== other && lockOffsetOf(one) === lockOffsetOf(other);

/**
 * Checks the names of the schemas of one database.
 * @throws {TypeError} if one is not a plain name, or if two of them have the same advisory locks.
 */
export function checkSchemaNames(schemas: readonly string[]): void {
  const byOffset = new Map<number, string>();
  for (const schema of schemas) {
    checkSchemaName(schema);
    const offset = lockOffsetOf(schema);
    const other = byOffset.get(offset) ?? schema;
    if (other !== schema) {
      throw new TypeError(
        `schemas: "${other}" and "${schema}" would use the same advisory locks, and would wait for each other. Rename one of them.`,
      );
    }
    byOffset.set(offset, schema);
  }
}

/** How many converted statements are kept. The package has fewer. */
const maxKept = 1_000;

/** Returns a function that converts each text once. It forgets all of them when it keeps too many. */
function remember(convert: (text: string) => string, most: number): (text: string) => string {
  const kept = new Map<string, string>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    if (kept.size >= most) kept.clear();
    const converted = convert(text);
    kept.set(text, converted);
    return converted;
  };
}

/**
 * Returns a function that converts the package's SQL to SQL for a schema. It also changes the numbers of the advisory
 * locks, because these belong to the whole database: one schema would otherwise wait for the transactions of another.
 */
export function toSchema(schema: string): (sql: string) => string {
  if (schema === defaultSchema) return (sql) => sql;
  const offset = lockOffsetOf(schema);
  const convert = (sql: string) =>
    sql
      .replaceAll(defaultSchema, schema)
      .replaceAll(lockNumbers, (number) => String(Number(number) + offset));
  return remember(convert, maxKept);
}
