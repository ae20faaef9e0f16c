import type { Page } from "playwright-core";

/** An element that got the focus, or that should get it. */
interface Stop {
  /** The beginning of the element's HTML. */
  readonly html: string;
  /** Whether it is drawn differently from when it has no focus, or has an outline. */
  readonly isMarked: boolean;
  readonly isInView: boolean;
}

/** What the Tab key reached, and what it should have reached, in the order of the document. */
export interface Walk {
  readonly reached: readonly Stop[];
  readonly expected: readonly string[];
}

interface Recorder {
  /** Holds elements, because their HTML may change during the walk. */
  tabWalk: {
    readonly reached: (Omit<Stop, "html"> & { readonly element: Element })[];
    readonly expected: readonly Element[];
  };
}

/** Begins at an element and presses Tab until the focus leaves it, as somebody without a mouse does. */
export async function walkByTab(page: Page, within: string): Promise<Walk> {
  const count = await page.locator(within).evaluate((root: HTMLElement) => {
    const interactive =
      "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]";
    const isStop = (element: HTMLElement) =>
      element.tabIndex >= 0 &&
      element.checkVisibility({ visibilityProperty: true }) &&
      // Tab reaches only one radio button of a group.
      !(element instanceof HTMLInputElement && element.type === "radio" && !element.checked);
    const expected = [...root.querySelectorAll<HTMLElement>(interactive)].filter(isStop);
    const reached: Recorder["tabWalk"]["reached"] = [];
    Object.assign(globalThis, { tabWalk: { reached, expected } });
    root.addEventListener("focusin", ({ target }) => {
      if (!(target instanceof HTMLElement) || target === root) return;
      const { outlineStyle, outlineWidth } = getComputedStyle(target);
      const { top, bottom, width, height } = target.getBoundingClientRect();
      reached.push({
        element: target,
        isMarked: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1,
        isInView: width > 0 && height > 0 && bottom > 0 && top < innerHeight,
      });
    });
    if (root.tabIndex < 0) root.tabIndex = -1;
    root.focus({ preventScroll: true });
    return expected.length;
  });
  for (let presses = 0; presses < count; presses += 1) await page.keyboard.press("Tab");
  const read = () =>
    page.evaluate((): Walk => {
      const { reached, expected } = (globalThis as unknown as Recorder).tabWalk;
      const toHtml = (element: Element) => element.outerHTML.slice(0, 160);
      return {
        reached: reached.map(({ element, ...stop }) => ({ html: toHtml(element), ...stop })),
        expected: expected.map(toHtml),
      };
    });
  let walk = await read();
  // A field for a date and a time has a stop for each of its parts.
  for (let more = 0; walk.reached.length < count && more < 12; more += 1) {
    await page.keyboard.press("Tab");
    walk = await read();
  }
  return walk;
}
