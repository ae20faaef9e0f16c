import type { GatewayContext } from "../context.js";
import type { OtaState } from "../contract/index.js";
import { isHalted } from "../ota/release/release.js";

/** Only this many releases are counted, the newest ones. */
const countedReleases = 100;

/** Queue lengths and counts in this process and in the store, for gauges. */
export interface GatewayLevels {
  /** Store calls that this process waits for. */
  readonly storeCalls: number;
  /** Slow hashes that wait in this process's queue. */
  readonly slowHashesWaiting: number;
  /** Requests of devices that wait for commands in this process. */
  readonly commandWaiters: number;
  /**
   * When the latest finished `maintain` of this process began, in epoch milliseconds. Hours that had ended by
   * then are rolled up. Null: none has finished yet.
   */
  readonly maintainedAt: number | null;
  /** Counts from the store. Null if the store does not answer. */
  readonly fleet: FleetLevels | null;
}

export interface FleetLevels {
  readonly activeReleases: number;
  /** Releases that were paused because updates failed, and not activated or withdrawn since. */
  readonly haltedReleases: number;
  /** Number of devices by the state of their update to an active or paused release. */
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
    haltedReleases: current.filter(isHalted).length,
    updates: counts,
  };
}

/** Reads the current levels. Never rejects: without a store, `fleet` is null. */
export async function readLevels(context: GatewayContext): Promise<GatewayLevels> {
  const { slowHash, lifecycle, commandWaiters } = context;
  return {
    storeCalls: context.storeCalls(),
    slowHashesWaiting: slowHash.waiting(),
    commandWaiters: commandWaiters.count(),
    maintainedAt: lifecycle.maintainedAt,
    fleet: await readFleet(context).catch(() => null),
  };
}
