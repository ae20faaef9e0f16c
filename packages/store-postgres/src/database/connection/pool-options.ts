import type { PoolConfig } from "pg";

/**
 * The server ends statements and idle transactions after these times, so that nothing runs on without a caller. In
 * milliseconds.
 */
export const statementTimeoutMs = 1_150;
export const idleTransactionMs = 5_000;

export const applicationName = "device-gateway";

/** Options of the pools that the store creates. */
export const poolOptions: { readonly ours: PoolConfig; readonly settings: PoolConfig } = {
  ours: {
    /** How long a call waits for a connection, in milliseconds. */
    connectionTimeoutMillis: 1_000,
    application_name: applicationName,
    keepAlive: true,
  },
  /** Settings that a server accepts at the login. A pooler rejects them. */
  settings: {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
  },
};
