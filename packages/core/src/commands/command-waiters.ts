import type { ChangePoller } from "../change/change-poller.js";
import type { DeviceCache } from "../device/device-cache.js";
import { nextTurn } from "../shared/next-turn.js";

/** How often the change feed is polled while requests wait: other processes send commands too. */
const pollMs = 250;
/** Requests that continue in one turn of the event loop. Each reads its device. */
const maxAtOnce = 16;

/** A request of a device that waits for a command. */
export interface CommandWaiter {
  /**
   * Resolves to true after the device changed since the last call, or to false at the end: the time is over, the device
   * sent a later request, its place went to another owner's request, or the gateway stops.
   */
  next(): Promise<boolean>;
  close(): void;
}

/** Requests that wait for commands in this process. */
export interface CommandWaiters {
  /**
   * Ends the device's earlier request. Returns undefined if too many devices wait, or the gateway stops. When all
   * places are taken, it ends the oldest request of the owner with the most, if its own owner would still have fewer,
   * because anybody can claim devices that they invented. Devices without an owner (null) count as one owner, and get
   * at most a quarter of the places.
   */
  open(deviceId: string, seconds: number, ownerId: string | null): CommandWaiter | undefined;
  /** Returns how many requests wait. */
  count(): number;
  /** Ends all requests, and lets no other wait. */
  endAll(): void;
}

interface Sources {
  readonly deviceCache: Pick<DeviceCache, "subscribe">;
  readonly poller: Pick<ChangePoller, "isFresh">;
  /** The largest number of requests that wait. */
  readonly most: number;
}

interface Waiting extends CommandWaiter {
  readonly ownerId: string | null;
  /** The device changed. */
  wake(): void;
  end(): void;
}

function createWaiting(seconds: number, ownerId: string | null, onClose: () => void): Waiting {
  let isWoken = false;
  let hasEnded = false;
  let proceed = () => {};
  const end = () => {
    hasEnded = true;
    proceed();
  };
  const timer = setTimeout(end, seconds * 1_000);
  return {
    ownerId,
    end,
    wake() {
      isWoken = true;
      proceed();
    },
    async next() {
      if (!isWoken && !hasEnded) {
        await new Promise<void>((resolve) => {
          proceed = resolve;
        });
      }
      isWoken = false;
      return !hasEnded;
    },
    close() {
      clearTimeout(timer);
      onClose();
    },
  };
}

export function createCommandWaiters({ deviceCache, poller, most }: Sources): CommandWaiters {
  const open = new Map<string, Waiting>();
  const woken = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;
  let isWaking = false;
  let hasEnded = false;
  /** How many of the requests are of the devices of each owner, and of those without one. */
  const counts = new Map<string | null, number>();

  const countOf = (ownerId: string | null) => counts.get(ownerId) ?? 0;

  /**
   * Ends the oldest request of the owner who has the most, if the other one would still have fewer. Returns whether it
   * did.
   */
  function makePlaceFor(ownerId: string | null): boolean {
    let largest = ownerId;
    for (const [owner, count] of counts) if (count > countOf(largest)) largest = owner;
    if (countOf(largest) <= countOf(ownerId) + 1) return false;
    for (const [deviceId, waiting] of open) {
      if (waiting.ownerId !== largest) continue;
      remove(deviceId, waiting);
      waiting.end();
      return true;
    }
    return false;
  }

  function hasPlaceFor(ownerId: string | null): boolean {
    if (ownerId === null && countOf(null) >= Math.ceil(most / 4)) return false;
    return open.size < most || makePlaceFor(ownerId);
  }

  function remove(deviceId: string, waiting: Waiting): void {
    if (open.get(deviceId) !== waiting) return;
    open.delete(deviceId);
    const left = countOf(waiting.ownerId) - 1;
    if (left > 0) counts.set(waiting.ownerId, left);
    else counts.delete(waiting.ownerId);
  }

  /** Wakes a few requests in each turn, because a change may concern all of them. */
  async function wakeAll(): Promise<void> {
    if (isWaking) return;
    isWaking = true;
    while (woken.size > 0) {
      for (const waiting of [...woken].slice(0, maxAtOnce)) {
        woken.delete(waiting);
        waiting.wake();
      }
      if (woken.size > 0) await nextTurn();
    }
    isWaking = false;
  }

  deviceCache.subscribe((deviceIds) => {
    if (open.size === 0) return;
    if (deviceIds === "all") for (const waiting of open.values()) woken.add(waiting);
    else {
      for (const deviceId of deviceIds) {
        const waiting = open.get(deviceId);
        if (waiting !== undefined) woken.add(waiting);
      }
    }
    void wakeAll();
  });

  function schedule(): void {
    if (isPolling || open.size === 0) return;
    timer ??= setTimeout(() => void poll(), pollMs);
  }

  /** Without requests of other devices, nobody else polls the feed. */
  async function poll(): Promise<void> {
    timer = undefined;
    isPolling = true;
    await poller.isFresh();
    isPolling = false;
    schedule();
  }

  return {
    open(deviceId, seconds, ownerId) {
      const earlier = open.get(deviceId);
      if (earlier !== undefined) {
        remove(deviceId, earlier);
        earlier.end();
      }
      if (hasEnded || !hasPlaceFor(ownerId)) return undefined;
      const waiting = createWaiting(seconds, ownerId, () => {
        woken.delete(waiting);
        remove(deviceId, waiting);
        if (open.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      });
      open.set(deviceId, waiting);
      counts.set(ownerId, countOf(ownerId) + 1);
      schedule();
      return waiting;
    },
    count: () => open.size,
    endAll() {
      hasEnded = true;
      for (const waiting of open.values()) waiting.end();
    },
  };
}
