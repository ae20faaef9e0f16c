import { existsSync } from "node:fs";

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** What to do where no browser is found. */
export const chromiumHint =
  "No Chromium was found. Install one (Debian: apt-get install -y --no-install-recommends chromium), or name it: CHROMIUM=/path/to/chromium";

/** Where Chromium is: as the variable CHROMIUM says, or where systems put it. */
export function findChromium(): string | undefined {
  const named = process.env["CHROMIUM"];
  return named === undefined || named === "" ? places.find((path) => existsSync(path)) : named;
}
