import { type Session, statement } from "../database/statement.js";

export const dayMs = 86_400_000;
/** Days that a process remembers to have partitions for. */
const remembered = 1_000;

const make = statement<{ day: number }, object>(
  "SELECT device_gateway.make_telemetry_partition(@day)",
);

/** Makes partitions of telemetry before they are needed. */
export interface TelemetryPartitions {
  /** Makes those of times that have none. Not within a transaction. */
  makeFor(session: Session, times: Iterable<number>): Promise<void>;
  /** Another process dropped one: none is taken for granted any more. */
  forget(): void;
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
    forget: () => known.clear(),
  };
}
