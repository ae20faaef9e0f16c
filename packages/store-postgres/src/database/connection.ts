import { type Logger, StoreUnavailableError } from "@device-gateway/core/store";
import { type ClientConfig, Pool, type PoolClient, types } from "pg";
import {
  isRolledBack,
  isSevered,
  isSpent,
  isTardy,
  isUnknownSetting,
  retryWhileBusy,
} from "./busy-retry.js";
import { borrow, createLender } from "./pool.js";
import { createSilence } from "./silence.js";
import type { Session } from "./statement.js";
import { createStatementSupport, type StatementSupport } from "./statement-support.js";

/** How long a call may take in all. */
const patienceMs = 1_350;
/** How long it waits for a connection. */
const connectPatienceMs = 1_000;
/** How long a start waits for a server that is busy, or starts itself. */
const openPatienceMs = 10_000;
/** What the server ends by itself, so that nothing goes on there that nobody waits for. */
const statementTimeoutMs = 1_150;
const idleTransactionMs = 5_000;

const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = ${statementTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${idleTransactionMs}`;

/** The one pool that all stores of a database share. */
export interface Connection {
  /**
   * Runs statements that change nothing, or no more when they run twice, each by itself; anew when
   * the connection ends.
   */
  read<Outcome>(work: (session: Session) => Promise<Outcome>): Promise<Outcome>;
  /** Runs one statement that changes something. It is a transaction by itself. */
  change<Outcome>(work: (session: Session) => Promise<Outcome>): Promise<Outcome>;
  /** Runs statements in a transaction, in which each sees what was committed before it began. */
  write<Outcome>(work: (session: Session) => Promise<Outcome>): Promise<Outcome>;
  /** Lets a call of several steps in: closing waits for it from here on. */
  enter<Outcome>(call: () => Promise<Outcome>): Promise<Outcome>;
  /** What `read` does for a call that is in. Steps that are to share their time share a deadline. */
  look<Outcome>(work: (session: Session) => Promise<Outcome>, deadline?: number): Promise<Outcome>;
  /** What `write` does for a call that is in. */
  transact<Outcome>(
    work: (session: Session) => Promise<Outcome>,
    deadline?: number,
  ): Promise<Outcome>;
  close(): Promise<void>;
}

/** Until when a call has time that begins now, of `performance.now()`. */
export const callDeadline = (): number => performance.now() + patienceMs;

/** Numbers of 64 bits are numbers here: epochs, positions and times stay below 2^53. */
const readers: NonNullable<ClientConfig["types"]> = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as unknown),
};

export const applicationName = "device-gateway";

export interface ConnectionOptions {
  readonly url: string;
  /** Connections at most. */
  readonly poolSize: number;
  readonly logger?: Logger | undefined;
}

/**
 * Connects once, so that what is wrong shows now: a server that refuses, at once; one of which nothing
 * comes, after ten seconds.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  try {
    return await tryConnection(options, {
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
    });
  } catch (error) {
    // There the role has to have them.
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
    const ask = () => connection.read((session) => session.query("SELECT", []));
    await retryWhileBusy(ask, isTardy, performance.now() + openPatienceMs);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function shareConnection(
  { url, poolSize, logger }: ConnectionOptions,
  settings: ClientConfig,
): Connection {
  const pool = new Pool({
    ...settings,
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectPatienceMs,
    application_name: applicationName,
    keepAlive: true,
    types: readers,
  });
  pool.on("connect", (client) => {
    // A connection that ends while it is lent out would end the process; its queries reject anyway.
    client.on("error", () => {});
  });
  pool.on("error", (error) => logger?.warn({ err: error }, "A database connection has ended"));
  const lender = createLender(pool);
  const silence = createSilence();
  const keeping = createStatementSupport(logger);
  let underWay = 0;
  let whenIdle = () => {};
  let closing: Promise<void> | undefined;

  async function enter<Outcome>(call: () => Promise<Outcome>): Promise<Outcome> {
    if (closing) throw new StoreUnavailableError("The store is closed.");
    underWay += 1;
    try {
      return await call();
    } finally {
      underWay -= 1;
      if (underWay === 0) whenIdle();
    }
  }

  const run = <Outcome>(
    work: (client: PoolClient, session: Session) => Promise<Outcome>,
    mayRepeat: (error: unknown) => boolean,
    deadline = callDeadline(),
  ): Promise<Outcome> => {
    const borrowed = () =>
      borrow(lender, silence, deadline, (client) => work(client, toSession(client, keeping)));
    const mayTryAgain = (error: unknown) => keeping.endsAt(error) || mayRepeat(error);
    return silence.guard(() => retryWhileBusy(borrowed, mayTryAgain, deadline));
  };
  const look: Connection["look"] = (work, deadline) =>
    run((_, session) => work(session), isRepeatable, deadline);
  const transact: Connection["transact"] = (work, deadline) =>
    run((client, session) => runTransaction(client, () => work(session)), isRepeatable, deadline);

  async function closeWhenIdle(): Promise<void> {
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    }
    await pool.end();
  }

  return {
    enter,
    look,
    transact,
    read: (work) => enter(() => look(work)),
    change: (work) => enter(() => run((_, session) => work(session), isRolledBack)),
    write: (work) => enter(() => transact(work)),
    close: () => {
      closing ??= closeWhenIdle();
      return closing;
    },
  };
}

const isRepeatable = (error: unknown): boolean => isRolledBack(error) || isSevered(error);

const toSession = (client: PoolClient, keeping: StatementSupport): Session => ({
  query: async <Row>(text: string, values: readonly unknown[], name?: string) => {
    const named = keeping.isOn && name !== undefined && { name };
    return (await client.query({ ...named, text, values: [...values] })).rows as Row[];
  },
});

async function runTransaction<Outcome>(
  client: PoolClient,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  await client.query(begin);
  let outcome: Outcome;
  try {
    outcome = await work();
  } catch (error) {
    // A connection that is spent takes its transaction with it.
    if (!isSpent(error)) await client.query("ROLLBACK");
    throw error;
  }
  try {
    await client.query("COMMIT");
  } catch (error) {
    // It may be committed or not: nobody may do it again.
    if (!isSevered(error)) throw error;
    throw new StoreUnavailableError("The connection ended while it committed.", { cause: error });
  }
  return outcome;
}
