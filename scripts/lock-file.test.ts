import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
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
  const keys = [...lock.matchAll(/^ {2}'?((?:@[^/'\s]+\/)?[^@'\s]+@[^'\s():]+)'?:/gm)];
  const locked = new Set(keys.map(([, key = ""]) => key));
  const lockedNames = new Set([...locked].map((key) => key.replace(/(?<=.)@.*/, "")));
  // pnpm keeps packages of earlier lock files for some days.
  const manifests = readManifests().filter(({ name, version }) => locked.has(`${name}@${version}`));
  const missing = manifests.flatMap(({ name, optionalDependencies = {} }) =>
    Object.entries(optionalDependencies)
      .filter(([program, wanted]) =>
        /^\d/.test(wanted) ? !locked.has(`${program}@${wanted}`) : !lockedNames.has(program),
      )
      .map(([program]) => `${name}: ${program}`),
  );
  const checked = manifests.map(({ name }) => name);
  expect(checked, "pnpm's default layout of node_modules is needed").toContain("esbuild");
  // `pnpm install --fix-lockfile` adds them.
  expect(missing).toEqual([]);
});
