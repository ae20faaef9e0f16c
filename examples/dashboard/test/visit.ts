import type { Page } from "playwright-core";

/** Follows a link of the page to another path, without a reload. It must be open. */
export const visit = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
