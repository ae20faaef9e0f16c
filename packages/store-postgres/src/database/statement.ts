import { createHash } from "node:crypto";

/** Runs statements, in a transaction or each on its own. */
export interface Session {
  /**
   * `name` identifies the text: the connection may keep the prepared statement and its plan under
   * it.
   */
  query<Row>(text: string, values: readonly unknown[], name?: string): Promise<readonly Row[]>;
}

/** Runs a statement with parameters and returns its rows. */
export type Statement<Parameters extends object, Row> = (
  session: Session,
  parameters: Parameters,
) => Promise<readonly Row[]>;

/** Returns the number in the row of a statement that counts. */
export const countOf = (rows: readonly { readonly count: number }[]): number => rows[0]?.count ?? 0;

const needsNoQuotes = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || value === null;

/**
 * Writes arrays of plain values as text here, because the driver would check each element for
 * quotes.
 */
function toParameter(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const elements: readonly unknown[] = value;
  const isPlain = elements.every(needsNoQuotes);
  return isPlain ? `{${elements.map((each) => each ?? "NULL").join()}}` : elements;
}

/** Replaces the named parameters (`@name`) of a statement with numbered ones. */
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

/** Creates a statement that Postgres parses and plans at each execution, for its values. */
export function statement<Parameters extends object, Row = never>(
  sql: string,
): Statement<Parameters, Row> {
  const { text, valuesOf } = numberParameters(sql);
  return (session, parameters) => session.query<Row>(text, valuesOf(parameters));
}

/**
 * Creates a prepared statement, for statements that run constantly and need the same plan for all
 * values. Its arrays must be in a `SELECT` of their own: otherwise Postgres prefers custom plans,
 * which look cheaper for a known number of elements.
 */
export function preparedStatement<Parameters extends object, Row = never>(
  sql: string,
): Statement<Parameters, Row> {
  const { text, valuesOf } = numberParameters(sql);
  const name = createHash("sha256").update(text).digest("base64url");
  return (session, parameters) => session.query<Row>(text, valuesOf(parameters), name);
}
