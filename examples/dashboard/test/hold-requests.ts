import type { Page, Route } from "playwright-core";

/** Holds the page's requests to a path until `release` is called. `held` are those that wait. */
export async function holdRequests(page: Page, path: string, method = "GET") {
  const held: Route[] = [];
  let isHeld = true;
  await page.route(path, async (route) => {
    if (isHeld && route.request().method() === method) held.push(route);
    else await route.fallback();
  });
  const release = async () => {
    isHeld = false;
    for (const route of held) await route.fallback();
  };
  return { held, release };
}
