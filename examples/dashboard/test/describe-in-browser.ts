import { describe } from "vitest";
import { chromiumHint, findChromium } from "./find-chromium.js";

const missing = findChromium() === undefined;
const required = Boolean(process.env["CI"]);
if (missing && !required) console.warn(`Browser tests are skipped. ${chromiumHint}`);

/** Groups tests that need a real browser. Without Chromium they are skipped with a warning; on CI they fail. */
export const describeInBrowser = describe.skipIf(missing && !required);
