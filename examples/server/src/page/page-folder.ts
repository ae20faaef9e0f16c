import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Returns the folder of the built dashboard, or undefined if it is not built. */
export function findPageFolder(): string | undefined {
  const manifest = "@device-gateway/example-dashboard/package.json";
  const folder = join(dirname(createRequire(import.meta.url).resolve(manifest)), "dist");
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}
