import { expect, inject, it, vi } from "vitest";
import { allTests } from "../../../scripts/all-tests.js";
import type { SourceChange } from "../../../scripts/bundle-programs.js";
import { renderReport } from "../report.js";
import { neighbours } from "./neighbours.js";

// The two seeds together begin with three of the modes. The planted bugs need mode "many keys".
it.each([
  ["sqlite", 1, 2],
  ["postgres", 4, 1],
] as const)("protects the clients of %s from each other", async (store, seed, fewest) => {
  vi.stubEnv("TEST_DATABASE_URL", inject("postgresUrl"));
  const report = await neighbours({ seed, store, rounds: allTests ? 3 : fewest });
  expect(report.violations.length, renderReport(report)).toBe(0);
});

const changes: readonly SourceChange[] = [
  // Leaks memory with each request.
  {
    file: /examples\/server\/src\/server\.ts$/,
    from: "limitBodyTime(request, response, bodyTimeLimits);",
    to: `limitBodyTime(request, response, bodyTimeLimits);
      (globalThis.kept ??= []).push(Buffer.alloc(150_000, 1));`,
  },
  // Starts all requests of a connection at once.
  {
    file: /core\/src\/node\/listener\/guard-connections\.ts$/,
    from: "inFlight = 8, queued = 64",
    to: "inFlight = 100_000, queued = 100_000",
  },
  {
    file: /core\/src\/node\/listener\/guard-connections\.ts$/,
    from: "const perTurn = { requests: 64, ms: 2, shortMs: 0.5 };",
    to: "const perTurn = { requests: 100_000, ms: 100_000, shortMs: 100_000 };",
  },
  // Stores more for an idempotency key than its response needs.
  {
    file: /store-sqlite\/src\/telemetry\/append\/used-keys\.ts$/,
    from: "const { key, fingerprint, expiresAt, memo } = once;",
    to: `const { key, fingerprint, expiresAt } = once;
      const memo = once.memo + "x".repeat(50_000);`,
  },
  // Lets all devices draw from one small bucket.
  {
    file: /core\/src\/http\/throttle-calls\.ts$/,
    from: "return drawTokens(context, { bucket, who, perMinute: limits[bucketSizes[bucket]] });",
    to: `const shared = bucket === "telemetry" && { who: "everybody", perMinute: 150 };
      return drawTokens(context, { bucket, who, perMinute: limits[bucketSizes[bucket]], ...shared });`,
  },
];

const planted = [
  ["readLiveness by nobody, many keys", /readLiveness .* left \d+ MiB on the heap/],
  [
    "readOpenApi by nobody, slow-reading",
    /readOpenApi .* (raised the RSS to|left \d+ MiB on the heap)/,
  ],
  ["sendTelemetry by claimed device, many keys", /sendTelemetry .* bytes on disk/],
  ["sendTelemetry by claimed device, many keys", /sendTelemetry .* honest telemetry got 429/],
] as const;

const attacks = new Set(planted.map(([attack]) => attack));

it("finds the planted bugs", async () => {
  const report = await neighbours({
    ...{ seed: 1, store: "sqlite", rounds: attacks.size, changes },
    only: new RegExp(`^(${[...attacks].join("|")})$`),
  });
  const found = report.violations.map(({ what }) => what).join("\n");
  for (const [, shows] of planted) expect(found).toMatch(shows);
});
