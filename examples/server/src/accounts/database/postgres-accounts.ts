import { PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import type { AccountDatabase } from "./account-database.js";
import { watchPool } from "./watched-pool.js";

const schemaName = "device_gateway_accounts";

/** In addition to the gateway's own connections. Each request looks up its session once. */
const connections = 4;
const timeoutMs = 5_000;
/**
 * The server ends statements and idle transactions after these times, so that nothing runs on without a caller. In
 * milliseconds. A sign-up hashes its password within a transaction.
 */
const serverTimeouts = { statement_timeout: 4_500, idle_in_transaction_session_timeout: 60_000 };
/** How long another server may take to create the tables. */
const lockTimeout = "10s";

/**
 * Returns the time-outs that the server accepts at the login. A pooler accepts none. The operator sets them on the
 * role.
 */
async function findTimeouts(url: string): Promise<Partial<typeof serverTimeouts>> {
  const client = new Client({
    ...{ connectionString: url, connectionTimeoutMillis: timeoutMs },
    ...serverTimeouts,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return serverTimeouts;
  } catch (error) {
    // The first call reports any other error.
    const isRefused = error instanceof Error && /startup parameter/.test(error.message);
    return isRefused ? {} : serverTimeouts;
  } finally {
    await client.end();
  }
}

/**
 * Opens the accounts in their own schema of the gateway's Postgres database, for any number of servers. If the database
 * cannot be reached or takes longer than 5 seconds, calls reject.
 */
export async function openPostgresAccounts(url: string): Promise<AccountDatabase> {
  const pool = new Pool({
    ...(await findTimeouts(url)),
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    application_name: "device-gateway accounts",
    keepAlive: true,
  });
  // Without these listeners, a lost connection would end the process. Queries on it reject in any case.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return {
    // Statements name the schema, because a connection pooler does not keep `search_path`.
    handle: {
      dialect: new PostgresDialect({ pool: watchPool(pool, timeoutMs) }),
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
