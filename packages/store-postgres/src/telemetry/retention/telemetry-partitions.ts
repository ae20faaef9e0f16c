import { dayMs } from "@device-gateway/core/store";
import { type Session, statement } from "../../database/statement.js";

/** How many days with a partition a process caches. */
const remembered = 1_000;

const make = statement<{ day: number }, object>(
  "SELECT device_gateway.make_telemetry_partition(@day)",
);
const list = statement<object, { name: string; estimate: number }>(
  `SELECT c.relname AS name, c.reltuples::bigint AS estimate
   FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'device_gateway.telemetry'::regclass`,
);

/** A partition, which has the records of one day. */
export interface Partition {
  /** The day, counted from 1970. */
  readonly day: number;
  /** The planner's estimate of its record count; -1 if the table was never analysed. */
  readonly estimate: number;
}

const dayOf = (name: string) => Number(name.replace("telemetry_", "").replace("m", "-"));

/** Returns all partitions, in no order. */
export async function listPartitions(session: Session): Promise<Partition[]> {
  const rows = await list(session, {});
  return rows.map(({ name, estimate }) => ({ day: dayOf(name), estimate }));
}

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
      const existing = await listPartitions(session);
      const missing = [day, day + 1].filter((next) => existing.every((each) => each.day < next));
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
