import { type Session, statement } from "../database/statement.js";

export const dayMs = 86_400_000;
/** How many days with a partition a process caches. */
const remembered = 1_000;

const make = statement<{ day: number }, object>(
  "SELECT device_gateway.make_telemetry_partition(@day)",
);
const list = statement<object, { name: string }>(
  `SELECT c.relname AS name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'device_gateway.telemetry'::regclass`,
);

/** Returns the day, counted from 1970, of a partition with this name. */
export const dayOfPartition = (name: string): number =>
  Number(name.replace("telemetry_", "").replace("m", "-"));

/** Creates partitions of telemetry before records need them. */
export interface TelemetryPartitions {
  /** Creates the missing partitions for the times. Do not call it in a transaction. */
  makeFor(session: Session, times: Iterable<number>): Promise<void>;
  /**
   * Creates the partitions of the day of a time and of the next day, in advance. Creates none that
   * are older than an existing one, because retention would drop them.
   */
  makeNext(session: Session, time: number): Promise<void>;
  /** Clears the cache. Call it when another process dropped a partition. */
  clearCache(): void;
}

export function createTelemetryPartitions(): TelemetryPartitions {
  const known = new Set<number>();
  /** The last day for which `makeNext` was called. */
  let latest = Number.NEGATIVE_INFINITY;

  async function makeFor(session: Session, times: Iterable<number>): Promise<void> {
    for (const time of times) {
      const day = Math.floor(time / dayMs);
      if (known.has(day)) continue;
      await make(session, { day });
      if (known.size >= remembered) known.clear();
      known.add(day);
    }
  }

  return {
    makeFor,
    async makeNext(session, time) {
      const day = Math.floor(time / dayMs);
      if (day <= latest) return;
      const days = (await list(session, {})).map(({ name }) => dayOfPartition(name));
      const missing = [day, day + 1].filter((next) => days.every((each) => each < next));
      await makeFor(
        session,
        missing.map((next) => next * dayMs),
      );
      latest = day;
    },
    clearCache() {
      known.clear();
      latest = Number.NEGATIVE_INFINITY;
    },
  };
}
