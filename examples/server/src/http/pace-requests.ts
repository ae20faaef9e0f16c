import type { RequestListener } from "node:http";
import { clientSiteOf, forwardedAddress } from "@device-gateway/core/node";
import { sendProblem } from "./send-problem.js";

/**
 * A client site may send `burst` requests at once, then one in each interval. They are started with gaps, so that a burst
 * does not fill the event loop.
 */
interface Rate {
  readonly burst: number;
  readonly intervalMs: number;
  readonly gapMs: number;
}
const accountRate: Rate = { burst: 10, intervalMs: 100, gapMs: 10 };
/** Requests for the page and its files. */
const pageRate: Rate = { burst: 100, intervalMs: 20, gapMs: 4 };
/** A request that would wait longer is refused. */
const longestWaitMs = 2_000;
/** A refusal waits, so that a client that repeats its requests at once cannot keep the server busy. */
const refusalMs = 1_000;
/** Sites that were idle are forgotten when there are more than this many. */
const sweepAbove = 10_000;

/**
 * What asks the accounts, or changes alert rules without a session. Express ignores case, and a request line may carry
 * a whole URL.
 */
const accountPath = /\/api\/(auth\/|site\b|alerts\/)/i;

const tooMany = {
  status: 429,
  code: "TOO_MANY_REQUESTS",
  detail: "Your network sends too many requests. Try again in 2 seconds.",
};

/**
 * Creates a function that returns how long a site's next request must wait, in milliseconds, or null if that is too
 * long. (The generic cell rate algorithm, ITU-T I.371.)
 */
export function createPace({
  burst,
  intervalMs,
  gapMs,
}: Rate): (site: string, now: number) => number | null {
  /** When each site has its whole burst again, and when it may start its next request. */
  const sites = new Map<string, { readonly restedAt: number; readonly nextAt: number }>();
  let sweepAt = sweepAbove;

  function sweep(now: number): void {
    for (const [site, { restedAt, nextAt }] of sites)
      if (restedAt <= now && nextAt <= now) sites.delete(site);
    sweepAt = Math.max(sweepAbove, sites.size * 2);
  }

  return (site, now) => {
    const { restedAt, nextAt } = sites.get(site) ?? { restedAt: now, nextAt: now };
    const from = Math.max(now, restedAt);
    const startAt = Math.max(now, nextAt, from - (burst - 1) * intervalMs);
    if (startAt - now > longestWaitMs) return null;
    sites.set(site, { restedAt: from + intervalMs, nextAt: startAt + gapMs });
    if (sites.size > sweepAt) sweep(now);
    return startAt - now;
  };
}

/**
 * Paces what one client site can make the accounts and the page do. Their requests hold the event loop for up to some
 * milliseconds, so each turn of the loop starts one.
 */
export function paceRequests(
  listener: RequestListener,
  trustedProxies: number,
  now: () => number = () => performance.now(),
): RequestListener {
  const [accounts, page] = [createPace(accountRate), createPace(pageRate)];
  let turn = Promise.resolve();
  const startInTurn: RequestListener = (request, response) => {
    turn = turn.then(() => new Promise((next) => setImmediate(next)));
    // The client may have disconnected while its request waited.
    void turn.then(() => response.destroyed || listener(request, response));
  };
  const refuse: RequestListener = (request, response) => {
    response.setHeader("retry-after", "2");
    // Otherwise the server would parse up to 64 KB of pipelined requests in one turn of the event loop, and drop them.
    response.setHeader("connection", "close");
    sendProblem(request, response, tooMany);
  };
  return (request, response) => {
    const waitOf = accountPath.test(request.url ?? "") ? accounts : page;
    const wait = waitOf(clientSiteOf(forwardedAddress(request, trustedProxies)), now());
    if (wait === 0) startInTurn(request, response);
    else if (wait !== null) setTimeout(startInTurn, wait, request, response);
    else {
      request.resume();
      setTimeout(refuse, refusalMs, request, response);
    }
  };
}
