import { fileURLToPath } from "node:url";
import { build } from "vite";
import { oncePerRun } from "../../../scripts/once-per-run.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds the page as `npm start` does, once for all tests of a run. Returns the folder, which must not be changed. */
export const buildPage = (): Promise<string> =>
  oncePerRun("page", (outDir) => build({ root, build: { outDir, emptyOutDir: true } }));
