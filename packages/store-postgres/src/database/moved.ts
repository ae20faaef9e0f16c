/**
 * The table in a schema whose tables are, or soon will be, in another database. The schema keeps its name, so that a
 * server that looks for the tables here does not create empty ones.
 */
export const movedTable = "moved";

/** SQL: whether the schema's tables are in another database. Needs no rights, unlike `to_regclass`. */
export const isMoved = `EXISTS (SELECT FROM pg_tables
  WHERE schemaname = 'device_gateway' AND tablename = '${movedTable}')`;

/** The error of a server that opens such a schema. */
export const toMovedError = (schema: string): Error =>
  new Error(
    `The schema "${schema}" is being moved to another database, or was moved. Give the servers the URL of that database when the move has ended.`,
  );
