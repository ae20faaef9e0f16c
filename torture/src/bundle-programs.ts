import { mkdirSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** One place of the product's source that is different in a program: a bug, or where it is to die. */
export interface SourceChange {
  /** End of the path of the file. */
  readonly file: RegExp;
  readonly from: string;
  readonly to: string;
}

function toPlugin(changes: readonly SourceChange[]): Plugin {
  return {
    name: "source-changes",
    setup({ onLoad }) {
      for (const file of new Set(changes.map((change) => change.file.source))) {
        onLoad({ filter: new RegExp(file) }, async ({ path }) => {
          let contents = await readFile(path, "utf8");
          for (const { from, to } of changes.filter((change) => change.file.source === file)) {
            // Nothing may be tried that is not there any more.
            if (!contents.includes(from)) throw new Error(`${path} does not have: ${from}`);
            contents = contents.replaceAll(from, () => to);
          }
          return { contents, loader: "ts" };
        });
      }
    },
  };
}

/** What a package has installed: it is not bundled. Its workspace's own packages are. */
async function findDependencies(within: string): Promise<string[]> {
  const text = await readFile(join(repository, within, "package.json"), "utf8");
  const { dependencies } = JSON.parse(text) as { dependencies: Readonly<Record<string, string>> };
  return Object.keys(dependencies).filter((name) => !name.startsWith("@device-gateway/"));
}

export interface BundleOptions {
  readonly changes?: readonly SourceChange[];
  /** The package in which the programs find what is not bundled. Default: this one. */
  readonly within?: string;
}

/** Makes programs, given by paths in the repository, plain JavaScript that starts in no time. */
export async function bundlePrograms(
  entries: readonly string[],
  { changes = [], within = "torture" }: BundleOptions = {},
): Promise<{ readonly folder: string; program(entry: string): string }> {
  const modules = join(repository, within, "node_modules");
  mkdirSync(modules, { recursive: true });
  const folder = await mkdtemp(join(modules, ".programs-"));
  await build({
    entryPoints: entries.map((entry) => join(repository, entry)),
    outdir: folder,
    entryNames: "[name]",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // Libraries that are not modules ask for Node's parts in their own way.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    external: await findDependencies(within),
    tsconfig: join(repository, "tsconfig.base.json"),
    logLevel: "warning",
    plugins: [toPlugin(changes)],
  });
  return {
    folder,
    program: (entry) => join(folder, basename(entry).replace(/\.ts$/, ".mjs")),
  };
}
