import type { Page } from "playwright-core";
import { expect } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { findAccessibilityProblems } from "./page-checks.js";

/** Each width once and each theme at least once. With `TEST_ALL=1`, each width in both themes. */
const variants = [
  [1440, "light"],
  [820, "dark"],
  ...(allTests
    ? ([
        [1440, "dark"],
        [820, "light"],
        [390, "dark"],
      ] as const)
    : []),
  [390, "light"],
] as const;

/**
 * Checks that the shown view fits desktops, tablets and phones, and that axe finds no problem in both themes. The view is
 * that of a phone afterwards. With `TEST_ALL=1`, it also runs `inEach` in each width and theme.
 */
export async function checkView(
  page: Page,
  inEach: () => Promise<void> = async () => {},
): Promise<void> {
  for (const [width, colorScheme] of variants) {
    const message = `${page.url()} at ${width} px, ${colorScheme}`;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(overflow, { message }).toBeLessThanOrEqual(0);
    // On a busy machine, some colours follow the scheme a moment later.
    await expect.poll(() => findAccessibilityProblems(page), { message }).toEqual([]);
    if (allTests) await inEach();
  }
}

/** Checks that axe finds no problem in the shown view, in its present width and theme. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findAccessibilityProblems(page)).toEqual([]);
}
