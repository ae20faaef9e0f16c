import { build } from "esbuild";

/** Returns the size in bytes, minified, of a program that imports one export of an installed package. */
export async function bundleExport(project: string, name: string, from: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${name} } from "${from}";`, resolveDir: project },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "error",
  });
  return outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
}
