import { StoreUnavailableError } from "@device-gateway/core/store";
import { DatabaseError, type Pool, type PoolClient } from "pg";
import { isReadOnly, isSpent } from "./busy-retry.js";
import type { Silence } from "./silence.js";

/** Lends the connections of a pool. */
export interface Lender {
  lend(): Promise<PoolClient>;
  /** Lends none again that is there now. */
  renew(): void;
}

/** A server that became a standby keeps its connections; the next primary is found by new ones. */
export function createLender(pool: Pool): Lender {
  const generations = new WeakMap<PoolClient, number>();
  let generation = 0;
  pool.on("connect", (client) => generations.set(client, generation));
  return {
    async lend() {
      for (;;) {
        const client = await pool.connect();
        if (generations.get(client) === generation) return client;
        client.release(true);
      }
    },
    renew() {
      generation += 1;
    },
  };
}

/** What is lent too late goes back. */
async function inTime(lending: Promise<PoolClient>, deadline: number): Promise<PoolClient> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new StoreUnavailableError("No connection was free in time."));
    timer = setTimeout(give, deadline - performance.now());
  });
  try {
    return await Promise.race([lending, late]);
  } catch (error) {
    lending.then(
      (client) => client.release(),
      () => {},
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Lends a connection out, and takes it away when the time is up: what waits on it then rejects. */
export async function borrow<Outcome>(
  lender: Lender,
  silence: Silence,
  deadline: number,
  work: (client: PoolClient) => Promise<Outcome>,
): Promise<Outcome> {
  const client = await inTime(lender.lend(), deadline);
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    void client.end();
  }, deadline - performance.now());
  try {
    const outcome = await work(client);
    silence.noteAnswer();
    client.release(isOver);
    return outcome;
  } catch (error) {
    if (error instanceof DatabaseError) silence.noteAnswer();
    client.release(isOver || isSpent(error));
    if (isReadOnly(error)) lender.renew();
    if (isOver) throw new StoreUnavailableError("The database took too long.", { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
