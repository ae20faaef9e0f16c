import { access, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the broken links in an installed package's README. A registry shows the README without the repository, so each
 * link must be absolute or name a file of the package.
 */
export async function findBrokenLinks(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, "README.md"), "utf8");
  const broken: string[] = [];
  for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
    if (target.startsWith("https://")) continue;
    const isInside = !target.startsWith("..") && (await exists(join(folder, target)));
    if (!isInside) broken.push(`${join(folder, "README.md")}: ${target}`);
  }
  return broken;
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
