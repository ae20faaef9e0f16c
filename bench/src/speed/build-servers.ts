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
  "bundled",
  "storm",
  "raw-inserts",
  "probe",
  "victoria-metrics",
] as const;
export type ServerName = (typeof serverNames)[number];

/** A change of one source file, for a program that is compared with the original. */
export interface Variant {
  /** Matches the end of the path of the changed file. */
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
  let isApplied = false;
  return {
    name: "variant",
    setup({ onLoad, onEnd }) {
      onLoad({ filter: file }, async ({ path }) => {
        const { readFile } = await import("node:fs/promises");
        const source = await readFile(path, "utf8");
        const contents = change(source);
        if (contents === source) {
          throw new Error(
            `The variant changes nothing in ${path}. Adapt it to the current source.`,
          );
        }
        isApplied = true;
        return { contents, loader: "ts" };
      });
      onEnd(() => {
        if (isApplied) return;
        throw new Error(`No bundled file matches ${file}. Adapt the variant to the current path.`);
      });
    },
  };
}

/** Bundles the programs as a user's build would, so that no loader is measured. Fails if the variant does not apply. */
export async function buildServers(variant?: Variant): Promise<BuiltServers> {
  // The folder is below the package, so that the programs find packages that are not bundled.
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
    // CommonJS libraries load Node's modules with `require`.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
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
