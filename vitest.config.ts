import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { TestOrder } from "./scripts/test-order.js";
import tsconfig from "./tsconfig.base.json" with { type: "json" };

/** Resolves workspace packages to their sources, so that tests need no build. */
const alias = Object.entries(tsconfig.compilerOptions.paths).map(([name, [path]]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(path as string, import.meta.url)),
}));

// Node 24.19 or later aborts when it frees a statement of better-sqlite3 12, the last version for Node 20.
if (Number.parseInt(process.versions.node, 10) >= 22) {
  const server = createRequire(new URL("examples/server/package.json", import.meta.url));
  alias.push({ find: /^better-sqlite3$/, replacement: server.resolve("better-sqlite3-13") });
}

export default defineConfig({
  resolve: { alias },
  test: {
    include: [
      "packages/*/{src,test}/**/*.test.ts",
      "examples/*/{src,test}/**/*.test.ts",
      "torture/src/**/*.test.ts",
      "bench/src/**/*.test.ts",
      "scripts/**/*.test.{js,ts}",
      "sdk/*/test/**/*.test.ts",
    ],
    // One more worker than cores, because tests spend a third of their time waiting for processes, disks and databases.
    maxWorkers: availableParallelism() + 1,
    // Loading the packages again for each file would take a sixth of the time. No test mocks a module.
    isolate: false,
    sequence: { sequencer: TestOrder },
    // A third of the CPU time of a small run is for transforming modules, so that the next run reuses them.
    experimental: { fsModuleCache: true },
    globalSetup: ["scripts/run-folder.ts", "packages/store-postgres/src/testing/global-setup.ts"],
    // Finds tests that hang. Tests start servers, browsers and databases, and a busy machine takes minutes for some.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Without `setImmediate`: the turns of client sites, which the servers of a process share, would wait for ever for an
    // immediate that a test dropped.
    fakeTimers: {
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    },
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
  },
});
