import type { Page } from "playwright-core";

export interface Costs {
  /** Number of requests to the gateway's API. */
  readonly requests: number;
  /** CPU time of this process, which runs the server. */
  readonly serverMs: number;
  /** CPU time of the page's main thread: scripts, layout and painting. */
  readonly pageMs: number;
}

/** Starts to count a page's costs. Returns a function that returns the costs so far. */
export async function watchCosts(page: Page): Promise<() => Promise<Costs>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  let requests = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/")) requests++;
  });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const busy = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    const { user, system } = process.cpuUsage();
    return { requests, serverMs: (user + system) / 1000, pageMs: busy * 1000 };
  };
}
