import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import ts from "typescript";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Returns the type declarations of each entry point of a built package. */
async function listEntryFiles(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, "package.json"), "utf8");
  // An entry point without conditions is a JSON file.
  return Object.values((JSON.parse(text) as Manifest).exports).flatMap((target) =>
    typeof target === "string" ? [] : join(folder, target.types),
  );
}

/**
 * Returns a message for each function that an entry point of a built package exports without an `@example` in its doc
 * comment.
 */
export async function findMissingExamples(folder: string): Promise<string[]> {
  const entries = await listEntryFiles(folder);
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const missing = new Set<string>();
  for (const entry of entries) {
    const source = program.getSourceFile(entry);
    const module = source && checker.getSymbolAtLocation(source);
    for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      const isFunction =
        symbol.valueDeclaration !== undefined &&
        checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
      if (!isFunction) continue;
      if (symbol.getJsDocTags(checker).some(({ name }) => name === "example")) continue;
      missing.add(
        `${relative(".", entry)}: ${exported.name} has no @example. End its doc comment with @example and one to four lines of code that use it.`,
      );
    }
  }
  return [...missing];
}
