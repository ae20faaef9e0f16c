import type { Page } from "playwright-core";
import { expect } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import { findAccessibilityProblems } from "./page-checks.js";

interface Variant {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
  /** Whether only the width is checked. */
  readonly withoutAxe?: boolean;
}

/** Each width once, and axe once in each theme. With `TEST_ALL=1`, axe in each width and both themes. */
const variants: readonly Variant[] = [
  { width: 1440, colorScheme: "light" },
  { width: 820, colorScheme: "light", withoutAxe: !allTests },
  ...(allTests
    ? ([
        { width: 1440, colorScheme: "dark" },
        { width: 820, colorScheme: "dark" },
        { width: 390, colorScheme: "light" },
      ] as const)
    : []),
  { width: 390, colorScheme: "dark" },
];

/**
 * Checks that the shown view fits desktops, tablets and phones, and that axe finds no problem in both themes. The view is
 * that of a dark phone afterwards. With `TEST_ALL=1`, it also runs `inEach` in each width and theme.
 */
export async function checkView(
  page: Page,
  inEach: () => Promise<void> = async () => {},
): Promise<void> {
  for (const { width, colorScheme, withoutAxe } of variants) {
    const message = `${page.url()} at ${width} px, ${colorScheme}`;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(overflow, { message }).toBeLessThanOrEqual(0);
    if (withoutAxe) continue;
    // On a busy machine, some colours follow the scheme a moment later.
    await expect.poll(() => findAccessibilityProblems(page), { message }).toEqual([]);
    if (allTests) await inEach();
  }
}

/** Checks that axe finds no problem in the shown view, in its present width and theme. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findAccessibilityProblems(page)).toEqual([]);
}
