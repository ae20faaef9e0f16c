import { mkdirSync } from "node:fs";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { oncePerRun } from "./once-per-run.js";

const repository = fileURLToPath(new URL("../", import.meta.url));

/** Replaces text in a source file of the product while a program is bundled, to plant a bug or a kill point. */
export interface SourceChange {
  /** The bug or kill point, for the error message if the change does not match. */
  readonly name?: string;
  /** Matches the end of the file's path. */
  readonly file: RegExp;
  readonly from: string;
  readonly to: string;
}

const nameOf = ({ name }: SourceChange) => (name === undefined ? "A source change" : `"${name}"`);

function applyChange(source: string, change: SourceChange, path: string): string {
  if (source.includes(change.from)) return source.replaceAll(change.from, () => change.to);
  const file = relative(repository, path);
  throw new Error(
    `${nameOf(change)} does not match ${file}, which no longer contains: ${change.from}\nUpdate it.`,
  );
}

/** Applies the changes and records in `applied` which of them it applied. */
const toPlugin = (changes: readonly SourceChange[], applied: Set<SourceChange>): Plugin => ({
  name: "source-changes",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const matching = changes.filter(({ file }) => file.test(path));
      if (matching.length === 0) return undefined;
      let contents = await readFile(path, "utf8");
      for (const change of matching) {
        contents = applyChange(contents, change, path);
        applied.add(change);
      }
      return { contents, loader: "ts" };
    });
  },
});

type Versions = Readonly<Record<string, string>>;

/** Returns the names of a package's installed dependencies, which are not bundled. Workspace packages are bundled. */
async function findDependencies(within: string): Promise<string[]> {
  const text = await readFile(join(repository, within, "package.json"), "utf8");
  const { dependencies, devDependencies } = JSON.parse(text) as Record<string, Versions>;
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.filter((name) => !name.startsWith("@device-gateway/"));
}

/** Modules that are native, or that exist only in other runtimes. */
const unbundled = [
  "better-sqlite3",
  "better-sqlite3-13",
  "pg-native",
  "bun:sqlite",
  "cloudflare:sockets",
];

export interface BundleOptions {
  readonly changes?: readonly SourceChange[];
  /** The package whose node_modules the programs use at run time. Default: torture. */
  readonly within?: string;
  /**
   * Whether to bundle the package's dependencies too. Bundling then takes a second of CPU time longer, and each start of
   * the bundled server half a second less. Default: false.
   */
  readonly isWhole?: boolean;
}

/**
 * Bundles programs, given as paths in the repository, into plain JavaScript that starts quickly.
 * Throws if a source change does not match.
 */
export async function bundlePrograms(
  entries: readonly string[],
  { changes = [], within = "torture", isWhole = false }: BundleOptions = {},
): Promise<{ readonly folder: string; program(entry: string): string }> {
  const modules = join(repository, within, "node_modules");
  mkdirSync(modules, { recursive: true });
  const folder = await mkdtemp(join(modules, ".programs-"));
  const applied = new Set<SourceChange>();
  try {
    await build({
      entryPoints: entries.map((entry) => join(repository, entry)),
      outdir: folder,
      entryNames: "[name]",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      // CommonJS libraries load Node's modules with `require`.
      banner: {
        js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
      },
      external: isWhole ? unbundled : await findDependencies(within),
      tsconfig: join(repository, "tsconfig.base.json"),
      logLevel: "warning",
      plugins: [toPlugin(changes, applied)],
    });
    const missed = changes.find((change) => !applied.has(change));
    if (missed !== undefined) {
      throw new Error(
        `${nameOf(missed)} was not planted: no bundled file matches ${missed.file.source}. Update it.`,
      );
    }
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    program: (entry) => join(folder, basename(entry).replace(/\.ts$/, ".mjs")),
  };
}

export interface ProgramOptions extends BundleOptions {
  /** Distinguishes programs of one entry that are bundled with other options. */
  readonly variant?: string;
}

/**
 * Bundles a program, once per test run, and returns its path. The program starts with `node` in a tenth of the CPU time of
 * `node --import tsx`.
 */
export async function bundleProgram(
  entry: string,
  { variant = "", ...options }: ProgramOptions = {},
): Promise<string> {
  const [home = ""] = /^(?:(?:packages|examples)\/[^/]+|[^/]+)/.exec(entry) ?? [];
  const { changes = [], within = home, isWhole = home === "examples/server" } = options;
  const name = `${entry.replaceAll("/", "-")}${variant && `-${variant}`}`;
  const path = join(repository, within, "node_modules", `.${name}.mjs`);
  await oncePerRun(`program-${name}`, async () => {
    const { folder, program } = await bundlePrograms([entry], { changes, within, isWhole });
    // Processes of another run may use the file at this path, so it is replaced as a whole.
    await rename(program(entry), path);
    await rm(folder, { recursive: true });
  });
  return path;
}
