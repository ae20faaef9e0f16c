import type { GatewayContext } from "../context.js";
import type { OtaState } from "../contract/index.js";

/** Releases that are counted: those created last. */
const countedReleases = 100;

/** How things stand in this process and in the store, for an operator's gauges. */
export interface GatewayLevels {
  /** Calls of the store that this process waits for. */
  readonly storeCalls: number;
  /** Slow hashes that wait for their turn. */
  readonly slowHashesWaiting: number;
  /**
   * When the last `maintain` of this process began that finished, in epoch milliseconds: hours that were over
   * then are rolled up. Null: none yet.
   */
  readonly maintainedAt: number | null;
  /** What the store says; null when it does not answer. */
  readonly fleet: FleetLevels | null;
}

export interface FleetLevels {
  readonly activeReleases: number;
  /** Releases that the guard paused, and nobody activated or withdrew since. */
  readonly haltedReleases: number;
  /** Devices by where their update to an active or paused release stands. */
  readonly updates: Readonly<Partial<Record<OtaState, number>>>;
}

async function readFleet({ store }: GatewayContext): Promise<FleetLevels> {
  const { releases, updates } = store;
  await store.ping();
  const current = await releases.list({
    targetHardware: null,
    rolloutChannel: null,
    statuses: ["active", "paused"],
    before: Number.MAX_SAFE_INTEGER,
    limit: countedReleases,
  });
  const counts: Partial<Record<OtaState, number>> = {};
  for (const { id } of current) {
    const ofRelease = Object.entries(await updates.counts(id)) as [OtaState, number][];
    for (const [state, count] of ofRelease) counts[state] = (counts[state] ?? 0) + count;
  }
  return {
    activeReleases: current.filter(({ status }) => status === "active").length,
    haltedReleases: current.filter(({ status, haltedAt }) => {
      return status === "paused" && haltedAt !== null;
    }).length,
    updates: counts,
  };
}

/** Reads the levels now. Rejects never: a store that is away is one of them. */
export async function readLevels(context: GatewayContext): Promise<GatewayLevels> {
  const { slowHash, lifecycle: life } = context;
  return {
    storeCalls: context.storeCalls(),
    slowHashesWaiting: slowHash.waiting(),
    maintainedAt: life.maintainedAt,
    fleet: await readFleet(context).catch(() => null),
  };
}
