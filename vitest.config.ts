import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import tsconfig from "./tsconfig.base.json" with { type: "json" };

/** Workspace packages resolve to their sources, so that tests need no build. */
const alias = Object.entries(tsconfig.compilerOptions.paths).map(([name, [path]]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(path as string, import.meta.url)),
}));

export default defineConfig({
  resolve: { alias },
  test: {
    include: [
      "packages/*/{src,test}/**/*.test.ts",
      "examples/*/{src,test}/**/*.test.ts",
      "torture/src/**/*.test.ts",
      "bench/src/**/*.test.ts",
      "scripts/**/*.test.{js,ts}",
    ],
    // A third of the time goes into waiting: for processes, disks and databases.
    maxWorkers: availableParallelism() + 1,
    // Loading the packages anew for each file would take a sixth of the time: no test mocks a module.
    isolate: false,
    globalSetup: ["packages/store-postgres/src/testing/global-setup.ts"],
    // Some start servers, browsers or databases, on machines that do other things as well.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
  },
});
