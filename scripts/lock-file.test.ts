import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Returns the folders in a folder, without links. */
const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${path}/${name}`);

/** Returns the manifests of all installed packages. */
function readManifests(): Manifest[] {
  const folders = foldersIn(`${root}node_modules/.pnpm`)
    .filter((path) => !path.endsWith("/node_modules"))
    .flatMap((path) => foldersIn(`${path}/node_modules`))
    .flatMap((path) => (/\/@[^/]+$/.test(path) ? foldersIn(path) : [path]));
  return folders.map((path) => JSON.parse(readFileSync(`${path}/package.json`, "utf8")));
}

test("the lock file has the programs of every platform, not only of the one that it was made on", () => {
  const lock = readFileSync(`${root}pnpm-lock.yaml`, "utf8");
  const manifests = readManifests();
  const missing = manifests.flatMap(({ name, optionalDependencies = {} }) =>
    Object.entries(optionalDependencies)
      .filter(
        ([program, version]) => /^\d/.test(version) && !lock.includes(`${program}@${version}`),
      )
      .map(([program]) => `${name}: ${program}`),
  );
  expect(manifests.map(({ name }) => name)).toContain("esbuild");
  // `pnpm install --fix-lockfile` adds them.
  expect(missing).toEqual([]);
});
