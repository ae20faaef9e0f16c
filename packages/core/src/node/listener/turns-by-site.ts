interface Site {
  /** Number of requests that this turn of the event loop has started. */
  started: number;
  /** When this turn started the first of them, in milliseconds of `now`. */
  firstAt: number;
  /** Whether the request that was started last still runs without having waited for anything. */
  isRunning: boolean;
  readonly waiting: (() => void)[];
}

/** What one site may start in a turn of the event loop. */
export interface TurnLimits {
  readonly requests: number;
  /** Time in milliseconds after which no further request is started. */
  readonly ms: number;
}

/** Lets each site start a limited number of requests in a turn of the event loop. */
export interface TurnsBySite {
  /** Returns whether the site may start a request now. If so, counts it. */
  enter(site: string): boolean;
  /** Calls `start` in this turn or a later one, after the site's requests that already wait. */
  wait(site: string, start: () => void): void;
}

/** Calls back when the running code and the promises that it resolves have nothing left to do in this turn. */
const whenIdle = (callback: () => void) => queueMicrotask(() => process.nextTick(callback));

/**
 * Creates the turns. However many requests the connections of one site send at once, the others' requests wait for at
 * most those that one turn starts. Requests of a site start one after another, so that a turn starts fewer of the
 * expensive ones.
 */
export function createTurnsBySite(
  { requests, ms }: TurnLimits,
  now: () => number = () => performance.now(),
): TurnsBySite {
  const sites = new Map<string, Site>();

  function mayStart({ started, firstAt, isRunning }: Site): boolean {
    if (isRunning) return false;
    return started === 0 || (started < requests && now() - firstAt < ms);
  }

  function count(site: Site): void {
    if (site.started === 0) site.firstAt = now();
    site.started += 1;
    site.isRunning = true;
    whenIdle(() => {
      site.isRunning = false;
      startNext(site);
    });
  }

  function startNext(site: Site): void {
    if (site.waiting.length === 0 || !mayStart(site)) return;
    count(site);
    site.waiting.shift()?.();
  }

  function nextTurn(): void {
    // A request that starts in this turn may add a site.
    for (const [name, site] of [...sites]) {
      if (site.started === 0 && site.waiting.length === 0) sites.delete(name);
      site.started = 0;
      startNext(site);
    }
    if (sites.size > 0) setImmediate(nextTurn);
  }

  function siteOf(name: string): Site {
    const known = sites.get(name);
    if (known !== undefined) return known;
    if (sites.size === 0) setImmediate(nextTurn);
    const site: Site = { started: 0, firstAt: 0, isRunning: false, waiting: [] };
    sites.set(name, site);
    return site;
  }

  return {
    enter(name) {
      const site = siteOf(name);
      if (site.waiting.length > 0 || !mayStart(site)) return false;
      count(site);
      return true;
    },
    wait(name, start) {
      const site = siteOf(name);
      site.waiting.push(start);
      // A running request starts the next one.
      startNext(site);
    },
  };
}
