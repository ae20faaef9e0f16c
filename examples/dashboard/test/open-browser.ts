import { type Browser, chromium } from "playwright-core";
import { findChromium, chromiumHint } from "./find-chromium.js";

const launchArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @throws {Error} where there is no Chromium, with what to do about it. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(chromiumHint);
  return chromium.launch({ executablePath, args: launchArgs });
}
