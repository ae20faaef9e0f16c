import { describe } from "vitest";
import { findChromium, chromiumHint } from "./find-chromium.js";

const missing = findChromium() === undefined;
const required = Boolean(process.env["CI"]);
if (missing && !required) console.warn(`Browser tests are skipped. ${chromiumHint}`);

/** Tests in a real browser. Where there is none they are skipped aloud; on CI they fail. */
export const describeInBrowser = describe.skipIf(missing && !required);
