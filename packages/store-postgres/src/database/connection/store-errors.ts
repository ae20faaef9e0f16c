import { StoreUnavailableError } from "@device-gateway/core/store";

/**
 * SQLSTATE codes of temporary failures
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html): connections, resources,
 * operator intervention, the disk, a lock, a server that became a standby, a pooler. Tables, functions and the schema
 * are missing while they move to another database.
 */
const unavailable =
  /^(08|53|57|58|25006$|25P0[34]$|26000$|40001$|40P01$|42P0[15]$|42883$|55P03$|28|3D000$|3F000$|XX00[12]$)/;
/**
 * Postgres rolled the transaction back because of a conflict (serialization failure, deadlock). It
 * may succeed at once if repeated.
 */
const rolledBack = /^(40001|40P01)$/;
/**
 * The prepared statement does not exist here, belongs to another client or has another result type
 * now. It did not run.
 */
const statementLost = /^(26000|42P05|0A000)$/;
/** The connection ended. The statement itself is valid. */
const disconnected = /^(08\w{3}|57P0[12345]|ECONNRESET|EPIPE|disconnected)$/;
const unreachable =
  /^(E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT)|disconnected)$/;

/** Messages of the pg driver without a code, for a connection that ended or could not be made. */
const disconnectedMessage =
  /^(Connection terminated(?! due to connection timeout)|Client (was closed|has encountered))/;
const unreachableMessage =
  /^(timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout|Query read timeout|Cannot use a pool after)/;

/** Citus reports a node that was killed during a query as an internal error. */
const killedNodeMessage =
  /^(postmaster was shut down, exiting|failure on connection marked as essential)/;

/**
 * A pooler rejects startup settings, always. Its error code is that of a lost connection, so the
 * message decides.
 */
export const isUnknownSetting = (error: unknown): boolean =>
  error instanceof Error && /startup parameter/.test(error.message);

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || isUnknownSetting(error)) return "";
  const { code } = error as Error & { readonly code?: unknown };
  if (code === "XX000" && killedNodeMessage.test(error.message)) return "disconnected";
  if (typeof code === "string") return code;
  if (disconnectedMessage.test(error.message)) return "disconnected";
  return unreachableMessage.test(error.message) ? "ETIMEDOUT" : "";
}

/** Returns whether the server answered with the error. The pool may come from another copy of the driver. */
export const isFromServer = (error: unknown): boolean =>
  error instanceof Error && "severity" in error && /^[0-9A-Z]{5}$/.test(codeOf(error));

/** Returns whether the server rejects writes because it is or became a standby. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === "25006";
export const isRolledBack = (error: unknown): boolean => rolledBack.test(codeOf(error));
export const isStatementLost = (error: unknown): boolean => statementLost.test(codeOf(error));
export const isDisconnected = (error: unknown): boolean => disconnected.test(codeOf(error));
/**
 * Returns whether the connection is useless now: it ended, or leads to a standby. Another
 * connection may work.
 */
export const isUnusable = (error: unknown): boolean => {
  const code = codeOf(error);
  return disconnected.test(code) || unreachable.test(code) || /^(25006|57|25P0[34])/.test(code);
};

/**
 * Returns whether the server did not answer in time, is starting, or has no free connection. A
 * caller that can wait may retry.
 */
export const isNotReady = (error: unknown): boolean =>
  error instanceof StoreUnavailableError &&
  /^(ETIMEDOUT|disconnected|57P03|53300)?$/.test(codeOf(error.cause));

/** A host name may have several addresses. The error of each is in `errors`. */
function messageOf(error: unknown): string {
  if (!(error instanceof AggregateError))
    return error instanceof Error ? error.message : String(error);
  return error.errors.map(messageOf).join(", ");
}

/** Turns temporary failures into a `StoreUnavailableError`. Returns other errors unchanged. */
export function toStoreError(error: unknown): unknown {
  const code = codeOf(error);
  if (!unavailable.test(code) && !unreachable.test(code)) return error;
  return new StoreUnavailableError(`The database is unavailable: ${messageOf(error)} (${code}).`, {
    cause: error,
  });
}
