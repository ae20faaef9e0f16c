/** How many requests run at once, and how many may wait, of one site and in total. */
const bounds = { running: 2, ofSite: 8, total: 64 } as const;

/**
 * A site rests this many times as long as its request took, so that it uses at most a quarter of a core. Otherwise one
 * client could keep a core busy that the database needs.
 */
const restFactor = 3;
/** The longest rest, in milliseconds. On a busy machine a request takes long through no fault of its site. */
const longestRestMs = 1_000;
/** A request that waited longer than this, in milliseconds, is refused: its client may have given it up. */
const longestWaitMs = 5_000;

/** Too many requests wait, or this one waited too long. */
export class BusyError extends Error {}

interface Waiter {
  readonly since: number;
  admit(): void;
  refuse(reason: BusyError): void;
}

/** Runs one request of a site at a time. The sites take turns, and rest after each request. */
export interface SiteTurns {
  /** @throws {BusyError} if too many requests of the site, or of all sites, wait, or this one waited for 5 s. */
  take<T>(site: string, work: () => Promise<T>): Promise<T>;
}

export function createSiteTurns(): SiteTurns {
  /** The site whose turn is next comes first. */
  const waiting = new Map<string, readonly Waiter[]>();
  /** The sites that have a running request or rest. */
  const blocked = new Set<string>();
  let running = 0;

  function add(site: string, waiter: Waiter): void {
    const busy = () => new BusyError("Too many requests are waiting.");
    const own = waiting.get(site) ?? [];
    const all = [...waiting];
    if (own.length >= bounds.ofSite) {
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

  function refuseLate(): void {
    const earliest = performance.now() - longestWaitMs;
    for (const [site, own] of [...waiting]) {
      const kept = own.filter(({ since }) => since >= earliest);
      if (kept.length > 0) waiting.set(site, kept);
      else waiting.delete(site);
      for (const { since, refuse } of own) {
        if (since < earliest) refuse(new BusyError("The request waited too long."));
      }
    }
  }

  const mayStart = (site: string) => running < bounds.running && !blocked.has(site);

  function start(site: string): void {
    running += 1;
    blocked.add(site);
  }

  function startNext(): void {
    refuseLate();
    for (const [site, [next, ...others]] of [...waiting]) {
      if (next === undefined || !mayStart(site)) continue;
      // All sites that already wait have a turn before the site's next request.
      waiting.delete(site);
      if (others.length > 0) waiting.set(site, others);
      start(site);
      next.admit();
    }
  }

  function end(site: string, workMs: number): void {
    running -= 1;
    setTimeout(
      () => {
        blocked.delete(site);
        startNext();
      },
      Math.min(longestRestMs, restFactor * workMs),
    );
    startNext();
  }

  return {
    async take(site, work) {
      if (mayStart(site)) start(site);
      else {
        const since = performance.now();
        await new Promise<void>((admit, refuse) => add(site, { since, admit, refuse }));
      }
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        end(site, performance.now() - startedAt);
      }
    },
  };
}
