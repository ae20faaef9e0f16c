import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Returns a line for each accessibility problem that axe finds on the current page, except minor ones. */
export async function findAccessibilityProblems(page: Page): Promise<readonly string[]> {
  // The page's content security policy forbids foreign scripts. Scripts of the debugger are exempt.
  if (!(await page.evaluate(() => "axe" in globalThis))) {
    await page.evaluate(await readFile(axeFile, "utf8"));
  }
  const violations = await page.evaluate(async () => {
    // A colour in transition may have too little contrast for a moment. Waiting for its end may take for ever on a page
    // that draws nothing. Endless animations, such as a spinner, go on.
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Finding[] }> };
    };
    // Details of what is right, and fetching styles again, would take a third of the time.
    return (await axe.run({ resultTypes: ["violations"], preload: false })).violations;
  });
  return violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
    );
}

interface Shift {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

/** Starts to count layout shifts, from the first paint on. Call it before opening a page. */
export const watchLayoutShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifts: { sum: number; moved: string[] } = { sum: 0, moved: [] };
    Object.assign(globalThis, { layoutShifts: shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as unknown as Shift;
        if (hadRecentInput) continue;
        shifts.sum += value;
        for (const { node } of sources) {
          const html = node instanceof Element ? node.outerHTML : node?.textContent;
          shifts.moved.push((html ?? "a removed element").slice(0, 120));
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });

/** Returns the score of all layout shifts since the page was opened, and what moved. Empty if nothing moved. */
export const findLayoutShifts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { layoutShifts } = globalThis as unknown as {
      layoutShifts: { sum: number; moved: string[] };
    };
    return layoutShifts.sum === 0 ? [] : [`${layoutShifts.sum}`, ...layoutShifts.moved];
  });

/**
 * Drops the layout shifts so far. A browser only exempts a shift within 500 ms after a click. Call it
 * after a click whose slow response may make room for its result later than that.
 */
export const resetLayoutShifts = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { layoutShifts } = globalThis as unknown as {
      layoutShifts: { sum: number; moved: string[] };
    };
    Object.assign(layoutShifts, { sum: 0, moved: [] });
  });
