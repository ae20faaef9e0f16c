import { readFile } from "node:fs/promises";
import { compileFunction } from "node:vm";
import { transform } from "esbuild";

/**
 * Runs a TypeScript example of a page in `docs`: the block that contains `part`. The caller passes everything that the
 * example uses as `names`, also what it imports.
 */
export async function runExample(
  page: string,
  part: string,
  names: Readonly<Record<string, unknown>>,
): Promise<void> {
  const text = await readFile(new URL(`../docs/${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = ""]) => block);
  const found = blocks.filter((block) => block.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} examples of ${page} contain "${part}".`);
  const { code } = await transform(found[0] ?? "", { loader: "ts" });
  const body = code.replaceAll(/^import .*$/gm, "");
  const run = compileFunction(body, Object.keys(names)) as (...values: readonly unknown[]) => void;
  run(...Object.values(names));
}
