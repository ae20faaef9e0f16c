import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { hasCitus } from "../database/citus.js";
import { checkUrl } from "../database/connection/check-url.js";
import { toStoreError } from "../database/connection/store-errors.js";
import { checkSchemaName } from "../database/schema-name.js";

/** Text of values must be equal on two servers whose settings differ. Each commit must be on the disk of a standby. */
const settings = `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
  SET default_transaction_isolation = 'read committed'; SET synchronous_commit = on;
  SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'postgres';
  SET extra_float_digits = 1; SET bytea_output = 'hex'; SET search_path = pg_catalog`;

/** How long one process waits for another one that moves the same schema, which may have been killed just now. */
const lockTimeout = "15s";

/** The names of the schema while it moves. */
export const toFenced = (schema: string): string => `${schema}__moved`;
export const toArriving = (schema: string): string => `${schema}__arriving`;

/** @throws {TypeError} if the name leaves no room for the names above. */
export function checkMovableName(schema: string): void {
  checkSchemaName(schema);
  if (schema.length <= 50) return;
  throw new TypeError("schema: a schema whose name has more than 50 characters cannot be moved.");
}

/** Opens one connection for a long operation. `name` names the URL in errors. */
export async function connectMover(url: string, name: string): Promise<Client> {
  checkUrl(url);
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: "device-gateway move",
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(settings);
    const { rows } = await client.query<{ citus: boolean }>(`SELECT ${hasCitus} AS citus`);
    if (rows[0]?.citus !== true) return client;
    throw new Error(`${name}: on Citus, move the schema with citus_schema_move().`);
  } catch (error) {
    await client.end();
    throw toStoreError(error);
  }
}

/** Returns whether two connections lead to the same database. A lock is one of the database. */
export async function isSameDatabase(one: Client, other: Client): Promise<boolean> {
  const key = `device-gateway ${randomUUID()}`;
  const take = "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS free";
  await ask(one, take, [key]);
  const [taken] = await ask<{ free: boolean }>(other, take, [key]);
  return taken?.free !== true;
}

/**
 * Lets one process move a schema. The lock belongs to the session, so a pooler in transaction mode breaks it.
 * @throws {Error} if another process moves the schema.
 */
export async function lockMove(client: Client, schema: string): Promise<void> {
  try {
    await client.query(`SET lock_timeout = '${lockTimeout}'`);
    await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [
      `device-gateway move ${schema}`,
    ]);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "55P03") throw error;
    throw new Error(
      `Another process is moving the schema "${schema}", or the database is still working for a process that was killed. Wait a few minutes and run this again.`,
      { cause: error },
    );
  }
}

/**
 * Connects to the database of a schema that is moved or split, and lets no other process move it. `name` names the URL in
 * errors.
 */
export async function withSource<Outcome>(
  url: string,
  name: string,
  schema: string,
  work: (source: Client) => Promise<Outcome>,
): Promise<Outcome> {
  const source = await connectMover(url, name);
  try {
    await lockMove(source, schema);
    return await work(source);
  } finally {
    await source.end();
  }
}

/** Runs statements in one transaction. */
export async function inTransaction<Outcome>(
  client: Client,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  await client.query("BEGIN");
  try {
    const outcome = await work();
    await client.query("COMMIT");
    return outcome;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Returns the rows of a statement. */
export async function ask<Row extends object>(
  client: Client,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row>(sql, [...values])).rows;
}
