import { StoreUnavailableError } from "@device-gateway/core/store";
import type { Pool, PoolClient } from "pg";
import type { CircuitBreaker } from "./circuit-breaker.js";
import { isFromServer, isReadOnly, isUnusable } from "./store-errors.js";

/** Hands out the connections of a pg pool. */
export interface ConnectionPool {
  acquire(): Promise<PoolClient>;
  /** Closes every connection that exists now instead of reusing it. */
  invalidateAll(): void;
  /** Removes the listeners that were added to the pool. */
  stopListening(): void;
}

const watched = new WeakSet<PoolClient>();

/**
 * Takes a connection of the pool. Without a listener, a connection that ends while in use would crash the process. Its
 * queries reject anyway. The callback adds the listener in time: a connection may end in the packet that completes its
 * login, before a promise of `connect` would resolve.
 */
export const connectSafely = (pool: Pool): Promise<PoolClient> =>
  new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error);
      if (!watched.has(client)) client.on("error", () => {});
      watched.add(client);
      resolve(client);
    });
  });

/**
 * A server that became a standby keeps its connections. Only new connections find the next primary.
 */
export function createConnectionPool(pool: Pool): ConnectionPool {
  const generations = new WeakMap<PoolClient, number>();
  let generation = 0;
  const setGeneration = (client: PoolClient) => void generations.set(client, generation);
  pool.on("connect", setGeneration);
  return {
    async acquire() {
      for (;;) {
        const client = await connectSafely(pool);
        // A pool of the embedder may have connections that are older than the store.
        if ((generations.get(client) ?? 0) === generation) return client;
        client.release(true);
      }
    },
    invalidateAll() {
      generation += 1;
    },
    stopListening: () => void pool.off("connect", setGeneration),
  };
}

/**
 * Waits for a connection until the deadline. A connection that comes later goes back to the pool.
 */
async function beforeDeadline(
  acquiring: Promise<PoolClient>,
  deadline: number,
): Promise<PoolClient> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const expire = () =>
      reject(new StoreUnavailableError("No database connection was free in time."));
    timer = setTimeout(expire, deadline - performance.now());
  });
  try {
    return await Promise.race([acquiring, timeout]);
  } catch (error) {
    acquiring.then(
      (client) => client.release(),
      () => {},
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs `work` with a connection. At the deadline the connection is closed, and pending queries
 * reject. `onExpired` gets the closed connection.
 */
export async function withClient<Outcome>(
  connections: ConnectionPool,
  breaker: CircuitBreaker,
  deadline: number,
  work: (client: PoolClient) => Promise<Outcome>,
  onExpired: (client: PoolClient) => void,
): Promise<Outcome> {
  const client = await beforeDeadline(connections.acquire(), deadline);
  let isExpired = false;
  const timer = setTimeout(() => {
    isExpired = true;
    onExpired(client);
    void client.end();
  }, deadline - performance.now());
  try {
    const outcome = await work(client);
    breaker.recordAnswer();
    client.release(isExpired);
    return outcome;
  } catch (error) {
    if (isFromServer(error)) breaker.recordAnswer();
    client.release(isExpired || isUnusable(error));
    if (isReadOnly(error)) connections.invalidateAll();
    if (isExpired)
      throw new StoreUnavailableError("The database took too long to answer.", { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
