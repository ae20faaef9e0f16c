import { createHash } from "node:crypto";

/** Where statements run: a transaction, or each by itself. */
export interface Session {
  /** `name` stands for this very text: under it the connection may keep the statement, with its plan. */
  query<Row>(text: string, values: readonly unknown[], name?: string): Promise<readonly Row[]>;
}

/** A statement that is ready to run; gives the rows that it returns. */
export type Statement<Parameters extends object, Row> = (
  session: Session,
  parameters: Parameters,
) => Promise<readonly Row[]>;

const needsNoQuotes = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || value === null;

/** Arrays of numbers are written here: the driver looks for quotes in each of them. */
function toParameter(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const elements: readonly unknown[] = value;
  const isPlain = elements.every(needsNoQuotes);
  return isPlain ? `{${elements.map((each) => each ?? "NULL").join()}}` : elements;
}

/** Numbers the parameters of a statement, which are named, as `@name`. */
function numberParameters(sql: string) {
  const names: string[] = [];
  const text = sql.replaceAll(/@(\w+)/g, (_, name: string) => {
    const place = names.indexOf(name);
    return `$${place < 0 ? names.push(name) : place + 1}`;
  });
  const valuesOf = (parameters: object) =>
    names.map((name) => toParameter((parameters as Record<string, unknown>)[name]));
  return { text, valuesOf };
}

/** Readies a statement. It is parsed and planned each time that it runs, for the values that it then has. */
export function statement<Parameters extends object, Row = never>(
  sql: string,
): Statement<Parameters, Row> {
  const { text, valuesOf } = numberParameters(sql);
  return (session, parameters) => session.query<Row>(text, valuesOf(parameters));
}

/**
 * Readies one that runs all the time, whatever its values by the same plan, which connections keep. Its arrays
 * stand in a `SELECT` of their own: Postgres keeps no plan that would be cheaper for so many elements.
 */
export function keptStatement<Parameters extends object, Row = never>(
  sql: string,
): Statement<Parameters, Row> {
  const { text, valuesOf } = numberParameters(sql);
  const name = createHash("sha256").update(text).digest("base64url");
  return (session, parameters) => session.query<Row>(text, valuesOf(parameters), name);
}
