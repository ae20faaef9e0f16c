/** Where statements run: a transaction, or each by itself. */
export interface Session {
  query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** A statement that is ready to run; gives the rows that it returns. */
export type Statement<Parameters extends object, Row> = (
  session: Session,
  parameters: Parameters,
) => Promise<readonly Row[]>;

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
    const values = names.map((name) => (parameters as Record<string, unknown>)[name]);
    return session.query<Row>(text, values);
  };
}
