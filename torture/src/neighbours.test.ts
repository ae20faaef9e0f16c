import { expect, inject, it, vi } from "vitest";
import type { SourceChange } from "./bundle-programs.js";
import { neighbours } from "./neighbours.js";
import { renderReport } from "./report.js";

/** As long as a machine may take that does other things as well. */
const timeout = 300_000;

it.each([
  ["sqlite", 1],
  ["postgres", 4],
] as const)("protects the clients of %s from each other", { timeout }, async (store, seed) => {
  vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
  const report = await neighbours({ seed, store });
  expect(report.violations.length, renderReport(report)).toBe(0);
});

const changes: readonly SourceChange[] = [
  // Keeps something of each request for good.
  {
    file: /examples\/server\/src\/server\.ts$/,
    from: "limitBodyTime(request, response, bodyTimes);",
    to: `limitBodyTime(request, response, bodyTimes);
      (globalThis.kept ??= []).push(Buffer.alloc(1_000_000));`,
  },
  // Takes all clients behind a proxy for one.
  {
    file: /examples\/server\/src\/create-app\.ts$/,
    from: 'app.set("trust proxy", trustedProxies);',
    to: 'app.set("trust proxy", 0);',
  },
];

it("finds what is planted", { timeout }, async () => {
  const only = /^(readLiveness|loginDevice) by nobody, pipelined$/;
  const report = await neighbours({ seed: 1, store: "sqlite", rounds: 2, changes, only });
  const found = report.violations.map(({ what }) => what).join("\n");
  expect(found).toMatch(/readLiveness .* left \d+ MiB on the heap/);
  expect(found).toMatch(/loginDevice .* honest login got 429 too_many_requests/);
});
