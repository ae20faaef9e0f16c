import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The runtimes are not dependencies of the workspace, because they are large. */
const versions = {
  bun: "1.4.5",
  deno: "2.9.6",
  miniflare: "4.20260730.0",
  // Has node:sqlite.
  node: "24.21.0",
  next: "16.4.6",
  react: "19.3.1",
  "react-dom": "19.3.1",
};

/** Installs the runtimes once. Returns the folder with their `node_modules`. */
export async function installRuntimes(): Promise<string> {
  const folder = fileURLToPath(new URL("../../node_modules/.cache/runtimes", import.meta.url));
  const file = join(folder, "package.json");
  const manifest = JSON.stringify({ private: true, dependencies: versions });
  const installed = await readFile(join(folder, "installed"), "utf8").catch(() => "");
  if (installed === manifest) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(file, manifest);
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
  await promisify(execFile)("npm", args, { cwd: folder });
  await writeFile(join(folder, "installed"), manifest);
  return folder;
}
