import { type Browser, chromium } from "playwright-core";
import { chromiumHint, findChromium } from "./find-chromium.js";

const launchArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** On the global object, because the files of a worker do not always share their modules. */
const shared = globalThis as { testBrowser?: Promise<Browser> };

async function launch(executablePath: string): Promise<Browser> {
  try {
    const browser = await chromium.launch({ executablePath, args: launchArgs });
    browser.once("disconnected", () => delete shared.testBrowser);
    return browser;
  } catch (error) {
    delete shared.testBrowser;
    throw error;
  }
}

/**
 * Starts Chromium, or returns the one that this process has started and that still runs. It ends with the process. Test
 * files share it, so they close their pages with `closePages`.
 * @throws {Error} if Chromium is not found, with what to do.
 */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(chromiumHint);
  shared.testBrowser ??= launch(executablePath);
  return shared.testBrowser;
}

/** Closes all pages, and leaves the browser to the next test file. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}
