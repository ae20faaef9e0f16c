import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The fields of a package.json that a bill of materials uses. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly description?: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface InstalledPackage {
  readonly manifest: Manifest;
  /** The packages that it needs at run time, as `name@version`. */
  readonly needs: readonly string[];
}

export const idOf = ({ name, version }: Manifest): string => `${name}@${version}`;

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;

/** Returns the folder where Node finds a package from `folder`, or null. */
async function findPackage(folder: string, name: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpath(candidate);
    if (at === dirname(at)) return null;
  }
}

/**
 * Returns a package and everything that it needs at run time, as installed. The package itself comes first. Optional
 * dependencies that are not installed are left out.
 */
export async function collectPackages(folder: string): Promise<readonly InstalledPackage[]> {
  const found = new Map<string, InstalledPackage>();

  async function visit(at: string): Promise<string> {
    const manifest = await readManifest(at);
    const id = idOf(manifest);
    if (found.has(id)) return id;
    const needs: string[] = [];
    found.set(id, { manifest, needs });
    const optional = manifest.optionalDependencies ?? {};
    for (const name of Object.keys({ ...manifest.dependencies, ...optional }).sort()) {
      const target = await findPackage(at, name);
      if (target !== null) needs.push(await visit(target));
      else if (!(name in optional)) throw new Error(`${id} needs ${name}, which is not installed.`);
    }
    return id;
  }

  await visit(await realpath(folder));
  return [...found.values()];
}
