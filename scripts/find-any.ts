import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";

/** Returns the lines of a built package's type declarations that contain `any`. */
export async function findAny(folder: string): Promise<string[]> {
  const dist = join(folder, "dist");
  const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".d.ts"));
  const found: string[] = [];
  for (const file of files) {
    const text = await readFile(join(dist, file), "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
    const visit = (node: ts.Node): void => {
      if (node.kind === ts.SyntaxKind.AnyKeyword) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push(`${join(dist, file)}:${line + 1}: ${text.split("\n")[line]?.trim()}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}
