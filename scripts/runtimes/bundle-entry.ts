import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Bundles an entry with the sources of the packages, and with `vitest` replaced. */
export async function bundleEntry(
  entry: string,
  outfile: string,
  platform: "node" | "browser",
): Promise<void> {
  const isNode = platform === "node";
  await build({
    entryPoints: [here(entry)],
    outfile,
    platform,
    bundle: true,
    format: "esm",
    target: "es2022",
    alias: { vitest: here("vitest-shim.ts") },
    tsconfig: here("../../tsconfig.base.json"),
    external: ["better-sqlite3", "pg-native", ...(isNode ? [] : ["node:*"])],
    logLevel: "error",
    // Packages in CommonJS require modules of Node.
    ...(isNode && {
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    }),
  });
}
