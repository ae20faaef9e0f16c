import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface BuiltPage {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Builds the page as `npm start` does, into a temporary folder. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = await mkdtemp(join(tmpdir(), "device-gateway-page-"));
  await build({ root, build: { outDir: folder, emptyOutDir: true } });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
