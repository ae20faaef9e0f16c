import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const serverNames = [
  "bare-http",
  "bare-express",
  "hand-written",
  "constant",
  "gateway",
  "raw-inserts",
  "probe",
] as const;
export type ServerName = (typeof serverNames)[number];

/** One place where a program under measurement differs from ours. */
export interface Variant {
  /** End of the path of the file that is changed. */
  readonly file: RegExp;
  readonly change: (source: string) => string;
}

export interface BuiltServers {
  readonly folder: string;
  program(name: ServerName): string;
  remove(): void;
}

const here = dirname(fileURLToPath(import.meta.url));
const benchFolder = join(here, "../..");

function toPlugin({ file, change }: Variant): Plugin {
  return {
    name: "variant",
    setup({ onLoad }) {
      onLoad({ filter: file }, async ({ path }) => {
        const { readFile } = await import("node:fs/promises");
        const source = await readFile(path, "utf8");
        const contents = change(source);
        if (contents === source) throw new Error(`The variant changes nothing in ${path}.`);
        return { contents, loader: "ts" };
      });
    },
  };
}

/** Bundles the programs as a user's build would, so that no loader is measured. */
export async function buildServers(variant?: Variant): Promise<BuiltServers> {
  // Below the package, so that the programs find what is not bundled.
  mkdirSync(join(benchFolder, "dist"), { recursive: true });
  const folder = mkdtempSync(join(benchFolder, "dist", "speed-"));
  await build({
    entryPoints: serverNames.map((name) => join(here, "servers", `${name}-process.ts`)),
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    outExtension: { ".js": ".mjs" },
    external: ["better-sqlite3", "express", "jsonwebtoken", "pg"],
    tsconfig: join(benchFolder, "../tsconfig.base.json"),
    plugins: variant ? [toPlugin(variant)] : [],
  });
  return {
    folder,
    program: (name) => join(folder, `${name}-process.mjs`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
