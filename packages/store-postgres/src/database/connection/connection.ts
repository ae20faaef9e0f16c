import {
  createStoreCalls,
  isTransactionEvent,
  type Logger,
  type SecurityEvent,
  StoreUnavailableError,
  type TransactionEvent,
} from "@device-gateway/core/store";
import { type ClientBase, type ClientConfig, Pool, type PoolClient } from "pg";
import type { Session } from "../statement.js";
import { retryWhileBusy } from "./busy-retry.js";
import { createCircuitBreaker } from "./circuit-breaker.js";
import { type CommitsInDoubt, createCommitsInDoubt } from "./commits-in-doubt.js";
import { createConnectionPool, withClient } from "./pool.js";
import {
  applicationName,
  idleTransactionMs,
  poolOptions,
  statementTimeoutMs,
} from "./pool-options.js";
import { createSessionFactory } from "./session-factory.js";
import { createStatementSupport } from "./statement-support.js";
import {
  isDisconnected,
  isNotReady,
  isRolledBack,
  isUnknownSetting,
  isUnusable,
} from "./store-errors.js";

/** How long a call may take in total, in milliseconds. */
const timeoutMs = 1_350;
/** How long opening waits for a server that is busy or starting, in milliseconds. */
const openTimeoutMs = 10_000;
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = ${statementTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${idleTransactionMs}`;

const rolledBack =
  "The transaction was rolled back, because one of its statements had failed. In `inTransaction`, let the error of a statement reject, or run the statement after a SAVEPOINT.";

type Join = (event: SecurityEvent) => Promise<void>;

/** The connection pool that all stores of a database share. */
export interface Connection {
  /**
   * Runs statements that are safe to repeat, each in its own transaction. Repeats them if the
   * connection ends.
   */
  read<Outcome>(work: (session: Session) => Promise<Outcome>): Promise<Outcome>;
  /** Runs one statement that writes, as a transaction of its own. */
  change<Outcome>(work: (session: Session) => Promise<Outcome>): Promise<Outcome>;
  /**
   * Runs one statement that writes and its event. If the embedder joins the transaction of the event, and the statement
   * changed something, the embedder's function runs in the same transaction.
   */
  transition<Outcome extends { readonly kind: string }>(
    event: SecurityEvent,
    changed: Outcome["kind"],
    work: (session: Session) => Promise<Outcome>,
  ): Promise<Outcome>;
  /**
   * Runs statements in one transaction. Each statement sees what was committed before it began. `join` calls the
   * embedder's `inTransaction` with an event that `work` has written.
   */
  write<Outcome>(work: (session: Session, join: Join) => Promise<Outcome>): Promise<Outcome>;
  /** Runs a call of several steps. `close` waits for it to end. */
  runSteps<Outcome>(call: () => Promise<Outcome>): Promise<Outcome>;
  /** Reads within `runSteps`. Steps of one call can share a deadline. */
  readStep<Outcome>(
    work: (session: Session) => Promise<Outcome>,
    deadline?: number,
  ): Promise<Outcome>;
  /** Writes within `runSteps`. */
  writeStep<Outcome>(
    work: (session: Session, join: Join) => Promise<Outcome>,
    deadline?: number,
  ): Promise<Outcome>;
  close(): Promise<void>;
}

/** Returns the deadline of a call that begins now, on the clock of `performance.now()`. */
export const callDeadline = (): number => performance.now() + timeoutMs;

/**
 * Writes rows of the embedder in the transaction of a change. The change is undone if it rejects. Use the client for
 * statements only, and only until the promise settles. It may be called again after a deadlock or a lost connection, when
 * the first transaction was rolled back.
 */
export type InTransaction = (client: ClientBase, event: TransactionEvent) => Promise<void>;

export interface ConnectionOptions {
  readonly inTransaction?: InTransaction | undefined;
  /** What the server shows as the name of the connections. Default: `device-gateway`. */
  readonly name?: string;
  /** A pool of the embedder, which `close` leaves open. Or how to create one. */
  readonly source:
    | { readonly pool: Pool }
    | { readonly url: string /** The maximum number of connections. */; readonly poolSize: number };
  readonly schema: string;
  readonly logger?: Logger | undefined;
  /** Counts the commits in doubt of a pool that several stores share. Default: those of this store only. */
  readonly inDoubt?: CommitsInDoubt | undefined;
}

/**
 * Opens the pool and connects once, so that a wrong URL fails here. Rejects at once if the server
 * refuses, and after ten seconds if it does not answer.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  try {
    return await tryConnection(options, poolOptions.settings);
  } catch (error) {
    // A pooler accepts no settings. The operator sets them on the role.
    if (!isUnknownSetting(error)) throw error;
    return await tryConnection(options, {});
  }
}

async function tryConnection(
  options: ConnectionOptions,
  settings: ClientConfig,
): Promise<Connection> {
  const connection = shareConnection(options, settings);
  try {
    const connect = () => connection.read((session) => session.query("SELECT", []));
    await retryWhileBusy(connect, isNotReady, performance.now() + openTimeoutMs);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Opens the pool without connecting. `settings` are those that a server, but no pooler, accepts at the login. */
export function shareConnection(
  { source, schema, logger, inTransaction, inDoubt, name = applicationName }: ConnectionOptions,
  settings: ClientConfig = {},
): Connection {
  const isOurs = "url" in source;
  const pool = isOurs
    ? new Pool({
        ...poolOptions.ours,
        ...settings,
        connectionString: source.url,
        max: source.poolSize,
        application_name: name,
      })
    : source.pool;
  const warn = (error: Error) => logger?.warn({ err: error }, "A database connection has ended");
  pool.on("error", warn);
  const connections = createConnectionPool(pool);
  const breaker = createCircuitBreaker();
  const statementSupport = createStatementSupport(logger);
  const toSession = createSessionFactory(schema, statementSupport);
  const { run: runSteps, close } = createStoreCalls(async () => {
    if (isOurs) return pool.end();
    connections.stopListening();
    pool.off("error", warn);
  });

  const run = <Outcome>(
    work: (client: PoolClient, session: Session) => Promise<Outcome>,
    mayRepeat: (error: unknown) => boolean,
    deadline = callDeadline(),
    onExpired: (client: PoolClient) => void = () => {},
  ): Promise<Outcome> => {
    const attempt = () =>
      withClient(
        connections,
        breaker,
        deadline,
        (client) => work(client, toSession(client)),
        onExpired,
      );
    const mayTryAgain = (error: unknown) => statementSupport.wasLost(error) || mayRepeat(error);
    return breaker.run(() => retryWhileBusy(attempt, mayTryAgain, deadline));
  };
  const toJoin = (client: PoolClient) => async (event: SecurityEvent) => {
    if (isTransactionEvent(event)) await inTransaction?.(client, event);
  };
  const readStep: Connection["readStep"] = (work, deadline) =>
    run((_, session) => work(session), isRepeatable, deadline);
  const { add, runUnlessFull } = inDoubt ?? createCommitsInDoubt(pool, isOurs, readStep);
  const runWrite: typeof run = (work, mayRepeat, deadline) =>
    runUnlessFull(() => run(work, mayRepeat, deadline, add));
  const writeStep: Connection["writeStep"] = (work, deadline) =>
    runWrite(
      (client, session) => runTransaction(client, () => work(session, toJoin(client))),
      isRepeatable,
      deadline,
    );

  const changeStep = <Outcome>(work: (session: Session) => Promise<Outcome>) =>
    runWrite((_, session) => work(session), isRolledBack);
  const transition: Connection["transition"] = (event, changed, work) =>
    runSteps(() =>
      inTransaction === undefined
        ? changeStep(work)
        : writeStep(async (session, join) => {
            const outcome = await work(session);
            if (outcome.kind === changed) await join(event);
            return outcome;
          }),
    );

  return {
    runSteps,
    readStep,
    writeStep,
    read: (work) => runSteps(() => readStep(work)),
    change: (work) => runSteps(() => changeStep(work)),
    transition,
    write: (work) => runSteps(() => writeStep(work)),
    close,
  };
}

const isRepeatable = (error: unknown): boolean => isRolledBack(error) || isDisconnected(error);

async function runTransaction<Outcome>(
  client: PoolClient,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  await client.query(begin);
  let outcome: Outcome;
  try {
    outcome = await work();
  } catch (error) {
    // An unusable connection ends, and its transaction with it.
    if (!isUnusable(error)) await client.query("ROLLBACK");
    throw error;
  }
  try {
    const { command } = await client.query("COMMIT");
    // If an error of a statement was ignored, Postgres rolls back here and reports no error.
    if (command !== "COMMIT") throw new Error(rolledBack);
  } catch (error) {
    // It is unknown whether the commit happened, so the transaction must not be repeated.
    if (!isDisconnected(error)) throw error;
    throw new StoreUnavailableError(
      "The connection ended during the commit. It is unknown whether the data was stored.",
      { cause: error },
    );
  }
  return outcome;
}
