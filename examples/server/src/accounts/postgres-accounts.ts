import { PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import type { AccountDatabase } from "./account-database.js";

const schemaName = "device_gateway_accounts";

/** Beside the gateway's own connections: a request asks once whose session it is. */
const connections = 4;
const patienceMs = 5_000;
/** As long as another server that makes the tables may take. */
const lockPatience = "10s";

/**
 * Opens the accounts in a schema of their own of the gateway's Postgres, for any number of servers.
 * A database that can't be reached, or that takes too long, rejects; the caller is told 503.
 */
export function openPostgresAccounts(url: string): AccountDatabase {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: "device-gateway accounts",
    keepAlive: true,
  });
  // A connection that ends while nobody uses it, or in use, would end the process; queries reject.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return {
    // Tables are named with their schema, not found by `search_path`: a pooler would forget it.
    handle: {
      dialect: new PostgresDialect({ pool }),
      type: "postgres",
      schemaName,
      transaction: true,
    },
    async makeTables(make) {
      const client = new Client({ connectionString: url, connectionTimeoutMillis: patienceMs });
      client.on("error", () => {});
      try {
        await client.connect();
        await client.query(`BEGIN; SET LOCAL lock_timeout = '${lockPatience}'`);
        await client.query(`SELECT pg_advisory_xact_lock(hashtext('${schemaName}'))`);
        await make();
      } finally {
        await client.end();
      }
    },
    close: () => pool.end(),
  };
}
