/** How much work may wait, of one site and in total. */
const bounds = { ofSite: 8, total: 64 } as const;

/**
 * A site rests this many times as long as its work took, so that it uses at most a quarter of a core. Otherwise one client
 * could keep a core busy that the database needs.
 */
const restFactor = 3;
/** The longest rest, in milliseconds. On a busy machine work takes long through no fault of its site. */
const longestRestMs = 1_000;

/** The queue is full. */
export class BusyError extends Error {}

interface Waiter {
  admit(): void;
  refuse(reason: BusyError): void;
}

/** Does work one at a time. The sites that ask for it take turns, and rest after their work. */
export interface SiteTurns {
  /** @throws {BusyError} if too much of the site's work, or of all sites', waits. */
  take<T>(site: string, work: () => Promise<T>): Promise<T>;
  /** Whether the site has as much work waiting as it may. */
  isFull(site: string): boolean;
}

export function createSiteTurns(): SiteTurns {
  /** The site whose turn is next comes first. */
  const waiting = new Map<string, readonly Waiter[]>();
  let isWorking = false;
  const resting = new Set<string>();

  const isFull = (site: string) => (waiting.get(site)?.length ?? 0) >= bounds.ofSite;

  function add(site: string, waiter: Waiter): void {
    const busy = () => new BusyError("Too much work is waiting.");
    const own = waiting.get(site) ?? [];
    const all = [...waiting];
    if (isFull(site)) {
      waiter.refuse(busy());
      return;
    }
    if (all.flatMap(([, waiters]) => waiters).length >= bounds.total) {
      const [longest, most] = all.reduce((a, b) => (b[1].length > a[1].length ? b : a));
      if (most.length <= own.length + 1) {
        waiter.refuse(busy());
        return;
      }
      waiting.set(longest, most.slice(0, -1));
      most.at(-1)?.refuse(busy());
    }
    waiting.set(site, [...own, waiter]);
  }

  function startNext(): void {
    const [site, own] = [...waiting].find(([name]) => !resting.has(name)) ?? ["", []];
    const [next, ...others] = own;
    if (next === undefined) return;
    if (others.length > 0) waiting.set(site, others);
    else waiting.delete(site);
    isWorking = true;
    next.admit();
  }

  /** Lets the site rest. After its rest, all sites that already wait have a turn before it. */
  function rest(site: string, workMs: number): void {
    const own = waiting.get(site);
    if (own !== undefined) {
      waiting.delete(site);
      waiting.set(site, own);
    }
    resting.add(site);
    setTimeout(
      () => {
        resting.delete(site);
        if (!isWorking) startNext();
      },
      Math.min(longestRestMs, restFactor * workMs),
    );
  }

  return {
    isFull,
    async take(site, work) {
      if (isWorking || resting.has(site)) {
        await new Promise<void>((admit, refuse) => add(site, { admit, refuse }));
      }
      isWorking = true;
      const startedAt = performance.now();
      return work().finally(() => {
        rest(site, performance.now() - startedAt);
        isWorking = false;
        startNext();
      });
    },
  };
}
