import { createLongWork } from "./long-work.js";

interface Site {
  readonly name: string;
  /** Number of requests that this turn of the event loop has started. */
  started: number;
  /** When this turn started the first of them, in milliseconds of `now`. */
  firstAt: number;
  /** Whether the request that was started last still runs without having waited for anything. */
  isRunning: boolean;
  isResting: boolean;
  readonly waiting: (() => void)[];
}

/** What one site may start in a turn of the event loop. */
export interface TurnLimits {
  readonly requests: number;
  /** Time in milliseconds after which no further request is started. */
  readonly ms: number;
  /** Work that takes longer than this, in milliseconds, makes its site rest if other sites are active. */
  readonly shortMs: number;
}

/** What a long request has done since its last turn. */
export interface PieceOfWork {
  /** How long the request rests after it while other sites are active, in milliseconds. */
  readonly restMs: number;
  /** What is charged to the site, in milliseconds, including the time of the database. At most 10 are charged. */
  readonly chargedMs: number;
}

/** Lets each site start a limited number of requests in a turn of the event loop. */
export interface TurnsBySite {
  /** Returns whether the site may start a request now. If so, counts it. */
  enter(site: string): boolean;
  /** Calls `start` in this turn or a later one, after the site's requests that already wait. */
  wait(site: string, start: () => void): void;
  /**
   * Like `wait`, for the next piece of a long request. While other sites are active, the request first rests after `done`,
   * its last piece, and waits until its site's long work is within its share of the time.
   */
  goOn(site: string, done: PieceOfWork, start: () => void): void;
  /** Returns whether another site is active. */
  isContested(site: string): boolean;
}

/** A site rests this many times as long as its expensive request took, so that it gets a quarter of the time. */
const restFactor = 3;
/**
 * What the long requests of a site may take while others are active. It is less than a quarter of the time, because
 * they also cost time that is not counted: garbage collections, and work of the database.
 */
const longWorkLimits = { burstMs: 50, share: 0.05, maxChargeMs: 10 };
/** A site is active for this many milliseconds after each of its requests. */
const activeMs = 1_000;

/** Calls back when the running code and the promises that it resolves have nothing left to do in this turn. */
const whenIdle = (callback: () => void) => queueMicrotask(() => process.nextTick(callback));

/** Starts a request. If that throws, the error stays uncaught, but the requests after it are started. */
function startSafely(start: () => void): void {
  try {
    start();
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}

/**
 * Creates the turns. However many requests the connections of one site send at once, the others' requests wait for at
 * most those that one turn starts. Requests of a site start one after another, so that a turn starts fewer of the
 * expensive ones. While other sites are active, a site rests after each expensive request.
 */
export function createTurnsBySite(
  { requests, ms, shortMs }: TurnLimits,
  now: () => number = () => performance.now(),
): TurnsBySite {
  const sites = new Map<string, Site>();
  const longWork = createLongWork(longWorkLimits, now);
  let resting = 0;
  let isScheduled = false;
  /** The site of the last request, and the last one of another site. */
  let last = { name: "", at: Number.NEGATIVE_INFINITY };
  let other = last;

  function note(name: string): void {
    const at = now();
    if (name === last.name) last.at = at;
    else [last, other] = [{ name, at }, last];
  }

  const isContested = (name: string) => now() - (name === last.name ? other : last).at < activeMs;

  function mayStart({ started, firstAt, isRunning, isResting }: Site): boolean {
    if (isRunning || isResting) return false;
    return started === 0 || (started < requests && now() - firstAt < ms);
  }

  function count(site: Site): void {
    const begunAt = now();
    if (site.started === 0) site.firstAt = begunAt;
    site.started += 1;
    site.isRunning = true;
    whenIdle(() => {
      site.isRunning = false;
      const took = now() - begunAt;
      if (took > shortMs && isContested(site.name)) rest(site, took * restFactor);
      else startNext(site);
    });
  }

  function rest(site: Site, restMs: number): void {
    site.isResting = true;
    resting += 1;
    setTimeout(() => {
      site.isResting = false;
      resting -= 1;
      startNext(site);
      schedule();
    }, restMs);
  }

  function startNext(site: Site): void {
    if (!mayStart(site)) return;
    const start = site.waiting.shift();
    if (start === undefined) return;
    count(site);
    startSafely(start);
  }

  function runTurn(): void {
    isScheduled = false;
    // A request that starts in this turn may add a site.
    for (const [name, site] of [...sites]) {
      if (site.started === 0 && site.waiting.length === 0 && !site.isResting) sites.delete(name);
      site.started = 0;
      startNext(site);
    }
    schedule();
  }

  /** Plans the next turn, unless all sites rest. */
  function schedule(): void {
    if (isScheduled || sites.size === resting) return;
    isScheduled = true;
    setImmediate(runTurn);
  }

  function siteOf(name: string): Site {
    note(name);
    const known = sites.get(name);
    if (known !== undefined) return known;
    const site: Site = {
      ...{ name, started: 0, firstAt: 0, isRunning: false, isResting: false },
      waiting: [],
    };
    sites.set(name, site);
    schedule();
    return site;
  }

  function wait(site: Site, start: () => void): void {
    site.waiting.push(start);
    // A running request starts the next one.
    startNext(site);
  }

  return {
    isContested,
    enter(name) {
      const site = siteOf(name);
      if (site.waiting.length > 0 || !mayStart(site)) return false;
      count(site);
      return true;
    },
    wait: (name, start) => wait(siteOf(name), start),
    goOn(name, { restMs, chargedMs }, start) {
      const goOn = () => wait(siteOf(name), start);
      // Only a request that is charged waits for its site's bucket.
      const waitMs = chargedMs > 0 ? longWork.charge(name, chargedMs) : 0;
      const delayMs = Math.max(restMs, waitMs);
      if (delayMs > 0 && isContested(name)) setTimeout(goOn, delayMs);
      else goOn();
    },
  };
}
