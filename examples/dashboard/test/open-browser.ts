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

/** Starts Chromium. @throws {Error} if Chromium is not found, with what to do. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(chromiumHint);
  return chromium.launch({ executablePath, args: launchArgs });
}
