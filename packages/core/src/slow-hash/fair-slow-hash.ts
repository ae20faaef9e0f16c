import { type SlowHash, SlowHashBusyError } from "../ports/slow-hash.js";
import { createFairLane, type FairLane } from "./fair-lane.js";
import { type HashLane, type HashParty, hashLanes } from "./hash-party.js";

/** A slow hash behind a bounded queue. No party can take all places of it from the others. */
export interface FairSlowHash {
  /**
   * Computes the hash when it is the party's turn.
   * @throws {SlowHashBusyError} if the party's lane is full or the wait was too long.
   */
  derive(party: HashParty, ...input: Parameters<SlowHash["derive"]>): Promise<Uint8Array>;
  /** Returns the number of hashes that wait. */
  waiting(): number;
}

export interface HashQueueBounds {
  /** Hashes computed at once. */
  readonly inFlight: number;
  /** Hashes that may wait in each lane. */
  readonly queued: number;
}

/**
 * A request that waited longer than this is refused. Otherwise a long queue would only compute hashes for requests
 * that the clients have given up.
 */
const maxWaitMs = 5_000;

interface Waiter {
  readonly since: number;
  admit(): void;
  refuse(reason: SlowHashBusyError): void;
}

/** Puts a fair, bounded queue in front of a slow hash. `now` is in milliseconds. */
export function createFairSlowHash(
  slowHash: SlowHash,
  { inFlight, queued }: HashQueueBounds,
  now: () => number,
): FairSlowHash {
  const lanes = Object.fromEntries(
    hashLanes.map((name) => [name, createFairLane<Waiter>(queued)]),
  ) as Record<HashLane, FairLane<Waiter>>;
  /** The lane whose latest turn is the longest ago comes first. */
  let order: readonly HashLane[] = hashLanes;
  let running = 0;

  const countTurn = (lane: HashLane) => {
    order = [...order.filter((other) => other !== lane), lane];
  };

  async function enter({ lane, path }: HashParty): Promise<void> {
    if (running < inFlight) {
      running++;
      countTurn(lane);
      lanes[lane].countTurn(path);
      return;
    }
    await new Promise<void>((admit, refuse) => {
      const loser = lanes[lane].add(path, { since: now(), admit, refuse });
      loser?.refuse(new SlowHashBusyError("Too many slow hashes are waiting."));
    });
  }

  function leave(): void {
    for (const name of hashLanes) {
      const late = lanes[name].remove(({ since }) => now() - since > maxWaitMs);
      for (const { refuse } of late) {
        refuse(new SlowHashBusyError("A slow hash waited too long for its turn."));
      }
    }
    const lane = order.find((name) => lanes[name].size > 0);
    if (lane === undefined) {
      running--;
      return;
    }
    countTurn(lane);
    lanes[lane].take()?.admit();
  }

  return {
    waiting: () => hashLanes.reduce((sum, name) => sum + lanes[name].size, 0),
    async derive(party, ...input) {
      await enter(party);
      try {
        return await slowHash.derive(...input);
      } finally {
        leave();
      }
    },
  };
}
