import { randomUUID } from "node:crypto";
import { Client } from "pg";

export interface TemporaryDatabase {
  readonly url: string;
  /** Drops the database, even if clients are connected. */
  remove(): Promise<void>;
}

/**
 * Creates an empty database, or a copy of `template`, on the server of a superuser's URL. On the coordinator of Citus,
 * it is also created on the workers, and each new schema in it is placed on one of them. Citus cannot copy a database.
 */
export async function createTemporaryDatabase(
  serverUrl: string,
  template = "template0",
): Promise<TemporaryDatabase> {
  const name = `gateway_${randomUUID().replaceAll("-", "")}`;
  const workers = await listWorkers(serverUrl);
  await runOnEach(
    [serverUrl, ...workers],
    `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8'`,
  );
  const toUrl = (nodeUrl: string) => withPath(nodeUrl, name);
  if (workers.length > 0) {
    await joinNodes(toUrl(serverUrl), workers.map(toUrl));
    await runOn(serverUrl, `ALTER DATABASE ${name} SET citus.enable_schema_based_sharding = on`);
  }
  return { url: toUrl(serverUrl), remove: () => dropDatabase(serverUrl, name) };
}

/** Drops a database if it exists, even if clients are connected. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const nodes = [serverUrl, ...(await listWorkers(serverUrl))];
  await runOnEach(nodes, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

async function runOnEach(urls: readonly string[], sql: string): Promise<void> {
  await Promise.all(urls.map((url) => runOn(url, sql)));
}

function withPath(nodeUrl: string, database: string): string {
  const url = new URL(nodeUrl);
  url.pathname = `/${database}`;
  return url.href;
}

const workersOf = new Map<string, Promise<readonly string[]>>();

/** Returns the URLs of the workers if the server is a coordinator of Citus, else none. */
export function listWorkers(serverUrl: string): Promise<readonly string[]> {
  const workers = workersOf.get(serverUrl) ?? findWorkers(serverUrl);
  workersOf.set(serverUrl, workers);
  return workers;
}

async function findWorkers(serverUrl: string): Promise<readonly string[]> {
  const sql = "SELECT to_regclass('pg_catalog.pg_dist_node') IS NOT NULL AS citus";
  const [found] = await askOn<{ citus: boolean }>(serverUrl, sql);
  if (found?.citus !== true) return [];
  const nodes = await askOn<{ name: string; port: number }>(
    serverUrl,
    "SELECT nodename AS name, nodeport AS port FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeport",
  );
  return nodes.map(({ name, port }) => {
    const url = new URL(serverUrl);
    url.hostname = name;
    url.port = String(port);
    return url.href;
  });
}

/** Makes the databases of some URLs a coordinator of Citus and its workers. */
export async function joinNodes(coordinator: string, workers: readonly string[]): Promise<void> {
  await runOnEach([coordinator, ...workers], "CREATE EXTENSION citus");
  const node = (url: string) => {
    const { hostname, port } = new URL(url);
    return `'${hostname}', ${port || 5432}`;
  };
  await runOn(coordinator, `SELECT citus_set_coordinator_host(${node(coordinator)})`);
  for (const worker of workers) await runOn(coordinator, `SELECT citus_add_node(${node(worker)})`);
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
