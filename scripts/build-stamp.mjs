/**
 * Decides whether the bundled server must be built again. A stamp describes every input file of the build by path,
 * size and modification time. This file imports only Node's modules.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const inputs = [
  "package.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "tsconfig.base.json",
  "tsconfig.json",
  "packages",
  "examples/server",
  "examples/dashboard",
];
const outputs = ["examples/server/dist/main.js", "examples/dashboard/dist/index.html"];
const ignoredNames = new Set(["node_modules", "dist", "test", "testing", "screenshots"]);
/** The folder of the data that a server writes if it is started in its own folder. */
const ignoredFolder = "examples/server/data";

function* filesOf(root, input) {
  const path = join(root, input);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) yield { path, stats };
  if (!stats?.isDirectory() || input === ignoredFolder) return;
  for (const entry of readdirSync(path).sort()) {
    if (!ignoredNames.has(entry)) yield* filesOf(root, `${input}/${entry}`);
  }
}

/** Returns a hash of the current inputs of a build. It includes the Node version, because SQLite is compiled for it. */
export function describeInputs(root) {
  const hash = createHash("sha256").update(process.version);
  for (const input of inputs) {
    for (const { path, stats } of filesOf(root, input)) {
      hash.update(`${relative(root, path)}\0${stats.size}\0${stats.mtimeMs}\n`);
    }
  }
  return hash.digest("hex");
}

const stampFile = (root) => join(root, "node_modules/.cache/device-gateway/server-build");

/** Returns whether the outputs exist and were built from the inputs that `description` describes. */
export function isBuiltFrom(root, description) {
  if (!outputs.every((output) => existsSync(join(root, output)))) return false;
  const file = stampFile(root);
  return existsSync(file) && readFileSync(file, "utf8") === description;
}

/** Records the inputs of a build. Describe them before the build, because they can change during it. */
export function writeStamp(root, description) {
  mkdirSync(dirname(stampFile(root)), { recursive: true });
  writeFileSync(stampFile(root), description);
}
