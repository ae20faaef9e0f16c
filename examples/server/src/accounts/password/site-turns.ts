/** How many turns run at once, and how many callers may wait, of one site and in total. */
const bounds = { running: 2, ofSite: 8, total: 64 } as const;

/**
 * A site rests this many times as long as its work took, so that it uses about a quarter of a core. Otherwise one client
 * could keep a core busy that the database needs.
 */
const restFactor = 3;
/** The longest rest, in milliseconds. On a busy machine work takes long through no fault of its site. */
const longestRestMs = 1_000;
/** A caller that waited for this many milliseconds is refused: its client may have given up. */
const longestWaitMs = 5_000;

/** Too many callers wait, or this one waited too long. */
export class BusyError extends Error {}

interface Waiter {
  admit(): void;
  refuse(reason: BusyError): void;
}

/** Gives each site one turn at a time. The sites take turns, and rest after each turn. */
export interface SiteTurns {
  /**
   * Waits for a turn of the site. Call the returned function at its end, with the milliseconds of work for which the site
   * rests.
   * @throws {BusyError} if too many callers of the site, or of all sites, wait, or this one waited for 5 s.
   */
  enter(site: string): Promise<(workMs: number) => void>;
}

export function createSiteTurns(): SiteTurns {
  /** The site whose turn is next comes first. */
  const waiting = new Map<string, readonly Waiter[]>();
  /** The sites that have a turn or rest. */
  const blocked = new Set<string>();
  let running = 0;

  const setWaiting = (site: string, waiters: readonly Waiter[]) => {
    if (waiters.length > 0) waiting.set(site, waiters);
    else waiting.delete(site);
  };

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
      setWaiting(longest, most.slice(0, -1));
      most.at(-1)?.refuse(busy());
    }
    waiting.set(site, [...own, waiter]);
  }

  const wait = (site: string) =>
    new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        admit() {
          clearTimeout(limit);
          resolve();
        },
        refuse(reason) {
          clearTimeout(limit);
          reject(reason);
        },
      };
      const limit = setTimeout(() => {
        const own = waiting.get(site) ?? [];
        setWaiting(
          site,
          own.filter((other) => other !== waiter),
        );
        waiter.refuse(new BusyError("The request waited too long."));
      }, longestWaitMs);
      add(site, waiter);
    });

  const mayStart = (site: string) => running < bounds.running && !blocked.has(site);

  function start(site: string): void {
    running += 1;
    blocked.add(site);
  }

  function startNext(): void {
    for (const [site, [next, ...others]] of [...waiting]) {
      if (next === undefined || !mayStart(site)) continue;
      // All sites that already wait have a turn before the site's next one.
      waiting.delete(site);
      setWaiting(site, others);
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
    async enter(site) {
      if (mayStart(site)) start(site);
      else await wait(site);
      return (workMs) => end(site, workMs);
    },
  };
}
