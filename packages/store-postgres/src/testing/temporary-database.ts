import { randomUUID } from "node:crypto";
import { Client } from "pg";

export interface TemporaryDatabase {
  readonly url: string;
  /** Drops the database, even if clients are connected. */
  remove(): Promise<void>;
}

/** Creates an empty database, or a copy of `template`, on the server of a superuser's URL. */
export async function createTemporaryDatabase(
  serverUrl: string,
  template = "template0",
): Promise<TemporaryDatabase> {
  const name = `gateway_${randomUUID().replaceAll("-", "")}`;
  await runOn(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8'`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    remove: () => runOn(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** Runs a statement on a new connection. */
export async function runOn(connectionString: string, sql: string): Promise<void> {
  await askOn(connectionString, sql);
}

/** Runs a statement on a new connection and returns its rows. */
export async function askOn<Row extends object>(
  connectionString: string,
  sql: string,
): Promise<Row[]> {
  const client = new Client({ connectionString });
  // The server may be killed meanwhile. The query rejects in any case.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
