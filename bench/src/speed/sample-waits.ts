import { Client } from "pg";
import type { StorePlace } from "./store-place.js";

const everyMs = 20;

export interface Waits {
  /** Sessions seen that were at work or waited for something. */
  readonly samples: number;
  /** Those of them that waited for a lock of rows, relations, transactions or advisory ones. */
  readonly locks: number;
}

/** Looks every 20 ms what the sessions of a database wait for, on a session of its own. */
export async function createWaitSampler(place: StorePlace) {
  if (place.kind !== "postgres") throw new Error("Only Postgres tells what its sessions wait for.");
  const client = new Client({ connectionString: place.url });
  await client.connect();
  const look = async (): Promise<Waits> => {
    const { rows } = await client.query<{ samples: number; locks: number }>({
      name: "look",
      text: `SELECT count(*)::integer AS samples,
          count(*) FILTER (WHERE wait_event_type = 'Lock')::integer AS locks
        FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
    });
    return rows[0] ?? { samples: 0, locks: 0 };
  };
  return {
    start() {
      let samples = 0;
      let locks = 0;
      let isOver = false;
      const sampling = (async () => {
        while (!isOver) {
          const seen = await look();
          samples += seen.samples;
          locks += seen.locks;
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
