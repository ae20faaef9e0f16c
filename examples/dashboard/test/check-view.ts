import type { Page } from "playwright-core";
import { expect } from "vitest";
import { findAccessibilityProblems } from "./page-checks.js";

const variants = [
  [390, "light"],
  [390, "dark"],
  [820, "dark"],
  [1440, "light"],
] as const;

/** Checks that the shown view fits phones, tablets and desktops, and that axe finds no problem in both themes. */
export async function checkView(page: Page): Promise<void> {
  for (const [width, colorScheme] of variants) {
    const message = `${page.url()} at ${width} px, ${colorScheme}`;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(overflow, { message }).toBeLessThanOrEqual(0);
    // On a busy machine, some colours follow the scheme a moment later.
    await expect.poll(() => findAccessibilityProblems(page), { message }).toEqual([]);
  }
}
