import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { buildPage } from "./build-page.js";
import { closePages, openBrowser } from "./open-browser.js";
import { findAccessibilityProblems, findLayoutShifts, watchLayoutShifts } from "./page-checks.js";
import { type Site, startSite } from "./start-site.js";

/** The time limit of each step and the interval of polling, in milliseconds. */
export const polling = { timeout: 120_000, interval: 100 };

/** What the tests of a story use. */
interface Story {
  readonly site: Site;
  readonly browser: Browser;
  readonly page: Page;
}

/** Starts one site and one page for all tests of a `describe`, and passes them to `prepare` before the first test. */
export function useStory(prepare: (opened: Story) => void) {
  let site: Site;
  let browser: Browser;
  let page: Page;
  const browserErrors: string[] = [];

  beforeAll(async () => {
    const pageFolder = await buildPage();
    [site, browser] = await Promise.all([
      startSite({
        ...{ pageFolder, publish: false, manualWait: true },
        // A month of readings is enough and halves the work.
        environment: { DG_RETENTION_TELEMETRY_DAYS: 32 },
      }),
      openBrowser(),
    ]);
    page = await browser.newPage({ baseURL: site.url, reducedMotion: "reduce" });
    page.setDefaultTimeout(polling.timeout);
    page.on("pageerror", (error) => browserErrors.push(String(error)));
    page.on("console", (message) => {
      // The story causes error responses. Blocked content and script errors are real errors.
      const errorResponse = message.text().includes("the server responded with a status of 4");
      if (message.type() === "error" && !errorResponse) browserErrors.push(message.text());
    });
    await watchLayoutShifts(page);
    prepare({ site, browser, page });
  });
  afterAll(async () => {
    await closePages(browser);
    await site?.stop();
  });

  /** Lets the demo gateway continue, also over its restart, until the page shows something. */
  const runDemoUntil = (isShown: () => Promise<boolean>) =>
    expect
      .poll(async () => {
        site.demoWait.finish();
        return isShown();
      }, polling)
      .toBe(true);
  /** The owner sees a gateway as live once it has sent a record since the claim. */
  const runDemoUntilLive = () =>
    runDemoUntil(() => page.getByText("Live", { exact: true }).isVisible());
  /** Nothing is inaccessible, and nothing has moved by itself. */
  const expectGoodPage = async () => {
    expect(await findAccessibilityProblems(page)).toEqual([]);
    expect(await findLayoutShifts(page)).toEqual([]);
  };
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const heading = (name: string) => page.getByRole("heading", { name, exact: true, level: 1 });
  const openTab = (name: string) =>
    page.getByRole("navigation", { name: "Device" }).getByRole("link", { name }).click();

  /** Reads the file that the demo gateway writes when it has registered. */
  const readLabel = async () => {
    const text = await readFile(join(site.dataDir, "demo-gateway.json"), "utf8");
    return JSON.parse(text) as { claimCode: string; deviceSecret?: string };
  };

  /** Returns a second client of the demo gateway. */
  const logInDevice = async () => {
    const device = createDeviceClient({ baseUrl: site.url });
    const { deviceSecret = "" } = await readLabel();
    (await device.login({ deviceId: "demo-gateway", deviceSecret }))._unsafeUnwrap();
    return device;
  };

  /** Presses the Tab key until a field has the focus. */
  const tabTo = async (label: string) => {
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press("Tab");
      const focused = page.getByLabel(label).and(page.locator(":focus"));
      if ((await focused.count()) > 0) return;
    }
    throw new Error(`The Tab key does not reach ${label}`);
  };

  return {
    ...{ runDemoUntil, runDemoUntilLive, expectGoodPage, button, heading, openTab },
    ...{ readLabel, logInDevice, tabTo },
    /** The errors that the page has logged so far, except error responses. */
    browserErrors,
  };
}
