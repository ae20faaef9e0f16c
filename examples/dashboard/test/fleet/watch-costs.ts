import type { Page } from "playwright-core";

export interface Costs {
  /** To the gateway's API. */
  readonly requests: number;
  /** CPU time of this process, where the server runs. */
  readonly serverMs: number;
  /** Time that the page's own thread was busy: scripts, layout, painting. */
  readonly pageMs: number;
}

/** Counts what a page costs from now on; gives what it came to so far. */
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
