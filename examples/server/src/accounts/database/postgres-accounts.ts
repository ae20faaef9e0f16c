import { PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import type { AccountDatabase } from "./account-database.js";

const schemaName = "device_gateway_accounts";

/** In addition to the gateway's own connections. Each request looks up its session once. */
const connections = 4;
const timeoutMs = 5_000;
/** How long another server may take to create the tables. */
const lockTimeout = "10s";

/**
 * Opens the accounts in their own schema of the gateway's Postgres database, for any number of servers. If the database
 * cannot be reached or takes longer than 5 seconds, calls reject.
 */
export function openPostgresAccounts(url: string): AccountDatabase {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: "device-gateway accounts",
    keepAlive: true,
  });
  // Without these listeners, a lost connection would end the process. Queries on it reject in any case.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return {
    // Statements name the schema, because a connection pooler does not keep `search_path`.
    handle: {
      dialect: new PostgresDialect({ pool }),
      type: "postgres",
      schemaName,
      transaction: true,
    },
    async createTables(create) {
      const client = new Client({ connectionString: url, connectionTimeoutMillis: timeoutMs });
      client.on("error", () => {});
      try {
        await client.connect();
        await client.query(`BEGIN; SET LOCAL lock_timeout = '${lockTimeout}'`);
        await client.query(`SELECT pg_advisory_xact_lock(hashtext('${schemaName}'))`);
        await create();
      } finally {
        await client.end();
      }
    },
    close: () => pool.end(),
  };
}
