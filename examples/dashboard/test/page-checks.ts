import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with a page as it stands, the trifling left out: a line each. */
export async function findAccessibilityProblems(page: Page): Promise<readonly string[]> {
  // The page's own policy forbids scripts of others; a debugger's are exempt.
  await page.evaluate(await readFile(axeFile, "utf8"));
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: Finding[] }> };
    };
    return (await axe.run()).violations;
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

/** Begins to count layout shifts, from the first paint on. Call it before a page is opened. */
export const watchLayoutShifts = (page: Page) =>
  page.addInitScript(() => {
    const counted: { sum: number; moved: string[] } = { sum: 0, moved: [] };
    Object.assign(globalThis, { layoutShifts: counted });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as unknown as Shift;
        if (hadRecentInput) continue;
        counted.sum += value;
        for (const { node } of sources) {
          const html = node instanceof Element ? node.outerHTML : node?.textContent;
          counted.moved.push((html ?? "what is gone by now").slice(0, 120));
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });

/** What has moved by itself on the page that is open, from its beginning. */
export const findLayoutShifts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { layoutShifts } = globalThis as unknown as {
      layoutShifts: { sum: number; moved: string[] };
    };
    return layoutShifts.sum === 0 ? [] : [`${layoutShifts.sum}`, ...layoutShifts.moved];
  });
