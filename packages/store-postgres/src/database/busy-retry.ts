import { StoreUnavailableError } from "@device-gateway/core/store";

/**
 * What may pass by itself (https://www.postgresql.org/docs/current/errcodes-appendix.html):
 * connections, resources, an operator's doing, the disk, a lock, a server that became a standby, a pooler.
 */
const unavailable =
  /^(08|53|57|58|25006$|25P0[34]$|26000$|40001$|40P01$|42P05$|55P03$|28|3D000$|XX00[12]$)/;
/** Rolled back for the sake of others: the same again may pass at once. */
const rolledBack = /^(40001|40P01)$/;
/** A prepared statement is not there, is somebody else's, or has another result by now: it did not run. */
const notKept = /^(26000|42P05|0A000)$/;
/** The connection ended; nothing is wrong with the statement. */
const severed = /^(08\w{3}|57P0[12345]|ECONNRESET|EPIPE|severed)$/;
const unreachable =
  /^(E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT)|severed)$/;

/** What pg says, without a code, when a connection ends or can't be had. */
const severedMessage =
  /^(Connection terminated(?! due to connection timeout)|Client (was closed|has encountered))/;
const unreachableMessage =
  /^(timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout|Query read timeout|Cannot use a pool after)/;

/** A pooler passes no settings on, and will not the next time: its code says that a connection ended. */
export const isUnknownSetting = (error: unknown): boolean =>
  error instanceof Error && /startup parameter/.test(error.message);

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || isUnknownSetting(error)) return "";
  const { code } = error as Error & { readonly code?: unknown };
  if (typeof code === "string") return code;
  if (severedMessage.test(error.message)) return "severed";
  return unreachableMessage.test(error.message) ? "ETIMEDOUT" : "";
}

/** The server takes no writes: it is a standby, or was made one. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === "25006";
export const isRolledBack = (error: unknown): boolean => rolledBack.test(codeOf(error));
export const isNotKept = (error: unknown): boolean => notKept.test(codeOf(error));
export const isSevered = (error: unknown): boolean => severed.test(codeOf(error));
/** Whether another connection may fare better than this one, which found a standby, or its end. */
export const isSpent = (error: unknown): boolean => {
  const code = codeOf(error);
  return severed.test(code) || unreachable.test(code) || /^(25006|57|25P0[34])/.test(code);
};

/** Whether no answer came in time, or one that it is too early: who can wait may ask again. */
export const isTardy = (error: unknown): boolean =>
  error instanceof StoreUnavailableError &&
  /^(ETIMEDOUT|severed|57P03|53300)?$/.test(codeOf(error.cause));

/** A name may stand for several addresses; what failed at each stands in the errors below. */
function reasonOf(error: unknown): string {
  if (!(error instanceof AggregateError))
    return error instanceof Error ? error.message : String(error);
  return error.errors.map(reasonOf).join(", ");
}

/** Names what may pass by itself as `StoreUnavailableError`; other errors stay as they are. */
export function toStoreError(error: unknown): unknown {
  const code = codeOf(error);
  if (!unavailable.test(code) && !unreachable.test(code)) return error;
  return new StoreUnavailableError(
    `The database can't be used now: ${reasonOf(error)} (${code}).`,
    {
      cause: error,
    },
  );
}

/**
 * Runs `work`, and again at once while `mayRepeat` allows it and `deadline` (of
 * `performance.now()`) is ahead; a little later each time, so that rivals drift apart.
 */
export async function retryWhileBusy<Outcome>(
  work: () => Promise<Outcome>,
  mayRepeat: (error: unknown) => boolean,
  deadline: number,
): Promise<Outcome> {
  for (let round = 1; ; round++) {
    try {
      return await work();
    } catch (error) {
      if (!mayRepeat(error) || performance.now() >= deadline) throw toStoreError(error);
    }
    // Without a turn of chance two rivals would meet again; nothing that is kept depends on it.
    const pause = Math.random() * Math.min(5 * round, 50);
    await new Promise<void>((resolve) => setTimeout(resolve, pause));
  }
}
