import { type Session, statement } from "../database/statement.js";

export const dayMs = 86_400_000;
/** How many days with a partition a process caches. */
const remembered = 1_000;

const make = statement<{ day: number }, object>(
  "SELECT device_gateway.make_telemetry_partition(@day)",
);

/** Creates partitions of telemetry before records need them. */
export interface TelemetryPartitions {
  /** Creates the missing partitions for the times. Do not call it in a transaction. */
  makeFor(session: Session, times: Iterable<number>): Promise<void>;
  /** Clears the cache. Call it when another process dropped a partition. */
  clearCache(): void;
}

export function createTelemetryPartitions(): TelemetryPartitions {
  const known = new Set<number>();
  return {
    async makeFor(session, times) {
      for (const time of times) {
        const day = Math.floor(time / dayMs);
        if (known.has(day)) continue;
        await make(session, { day });
        if (known.size >= remembered) known.clear();
        known.add(day);
      }
    },
    clearCache: () => known.clear(),
  };
}
