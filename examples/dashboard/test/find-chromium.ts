import { existsSync } from "node:fs";

// The headless shell opens and lays out pages in a quarter of Chromium's CPU time, because it draws no window around them.
const places = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** What to do if Chromium is not found. */
export const chromiumHint =
  "Chromium was not found. Install it (Debian: apt-get install -y --no-install-recommends chromium-headless-shell), or set CHROMIUM=/path/to/chromium.";

/** Returns the path of Chromium: the variable CHROMIUM, or a usual place. Undefined if there is none. */
export function findChromium(): string | undefined {
  const named = process.env["CHROMIUM"];
  return named === undefined || named === "" ? places.find((path) => existsSync(path)) : named;
}
