import { Client } from "pg";
import type { StorePlace } from "./store/store-place.js";

const everyMs = 20;

export interface Waits {
  /** Observed sessions that worked or waited. */
  readonly samples: number;
  /** Observed sessions that waited for a lock, by its kind, such as `transactionid` or `advisory`. */
  readonly locks: ReadonlyMap<string, number>;
}

/** Samples every 20 ms what a database's sessions wait for, from its own session. */
export async function createWaitSampler(place: StorePlace) {
  if (place.kind !== "postgres") throw new Error("Waits can be sampled only on Postgres.");
  const client = new Client({ connectionString: place.url });
  await client.connect();
  const look = async () => {
    const { rows } = await client.query<{ lock: string | null; sessions: number }>({
      name: "look",
      text: `SELECT CASE wait_event_type WHEN 'Lock' THEN wait_event END AS lock,
          count(*)::integer AS sessions
        FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
        GROUP BY 1`,
    });
    return rows;
  };
  return {
    start() {
      let samples = 0;
      const locks = new Map<string, number>();
      let isOver = false;
      const sampling = (async () => {
        while (!isOver) {
          for (const { lock, sessions } of await look()) {
            samples += sessions;
            if (lock !== null) locks.set(lock, (locks.get(lock) ?? 0) + sessions);
          }
          await new Promise((resolve) => setTimeout(resolve, everyMs));
        }
      })();
      return {
        async end(): Promise<Waits> {
          isOver = true;
          await sampling;
          return { samples, locks };
        },
      };
    },
    close: () => client.end(),
  };
}
