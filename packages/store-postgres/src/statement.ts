/** Where statements run: a transaction, or each by itself. */
export interface Session {
  query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** A statement that is ready to run; gives the rows that it returns. */
export type Statement<Parameters extends object, Row> = (
  session: Session,
  parameters: Parameters,
) => Promise<readonly Row[]>;

const needsNoQuotes = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "boolean" || value === null;

/** Arrays of numbers are written here: the driver looks for quotes in each of them. */
const toParameter = (value: unknown): unknown =>
  Array.isArray(value) && value.every(needsNoQuotes)
    ? `{${value.map((each) => each ?? "NULL").join()}}`
    : value;

/**
 * Readies a statement whose parameters are named, as `@name`. It stays unnamed on the server: a
 * connection may be another one behind a pooler each time.
 */
export function statement<Parameters extends object, Row = never>(
  sql: string,
): Statement<Parameters, Row> {
  const names: string[] = [];
  const text = sql.replaceAll(/@(\w+)/g, (_, name: string) => {
    const place = names.indexOf(name);
    return `$${place < 0 ? names.push(name) : place + 1}`;
  });
  return (session, parameters) => {
    const values = names.map((name) => toParameter((parameters as Record<string, unknown>)[name]));
    return session.query<Row>(text, values);
  };
}
