import { fileURLToPath } from "node:url";
import { build } from "vite";
import { vi } from "vitest";
import { oncePerRun } from "../../../scripts/once-per-run.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds the page for production. Vitest's NODE_ENV would add the place in the source to each element. */
async function buildForProduction(outDir: string): Promise<void> {
  vi.stubEnv("NODE_ENV", "production");
  await build({ root, build: { outDir, emptyOutDir: true } });
  vi.unstubAllEnvs();
}

/** Builds the page as `npm start` does, once for all tests of a run. Returns the folder, which must not be changed. */
export const buildPage = (): Promise<string> => oncePerRun("page", buildForProduction);
