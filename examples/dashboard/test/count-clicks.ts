import type { Page } from "playwright-core";

/** Counts clicks of the mouse in this page, over reloads too. Call it before opening the page. */
export const watchClicks = (page: Page) =>
  page.addInitScript(() => {
    // A submit by the Enter key also is a click, without a pointer.
    const count = ({ isTrusted, detail }: MouseEvent) => {
      if (!isTrusted || detail === 0) return;
      sessionStorage.setItem("clicks", String(Number(sessionStorage.getItem("clicks") ?? 0) + 1));
    };
    addEventListener("click", count, true);
  });

/** Returns the number of clicks since the last call. */
export const takeClicks = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const clicks = Number(sessionStorage.getItem("clicks") ?? 0);
    sessionStorage.removeItem("clicks");
    return clicks;
  });
