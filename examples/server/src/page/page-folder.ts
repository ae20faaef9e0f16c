import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Where the built dashboard lies; undefined as long as nobody has built it. */
export function findPageFolder(): string | undefined {
  const manifest = "@device-gateway/example-dashboard/package.json";
  const folder = join(dirname(createRequire(import.meta.url).resolve(manifest)), "dist");
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}
