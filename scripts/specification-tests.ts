import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = ["packages", "examples", "torture/src", "sdk"];
const ignored = /(^|\/)(node_modules|dist|build)(\/|$)/;
/** Matches the title of a test or case that names its section. */
const sectionTitle = /["`]§(\d+)[ ,]/g;

/** Returns for each section the files with its tests and the number of tests in each file. */
async function findTests(): Promise<Map<string, Map<string, number>>> {
  const found = new Map<string, Map<string, number>>();
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const file = relative(root, join(entry.parentPath, entry.name));
      if (!/\.tsx?$/.test(file) || ignored.test(file)) continue;
      for (const [, section = ""] of (await readFile(join(root, file), "utf8")).matchAll(
        sectionTitle,
      )) {
        const files = found.get(section) ?? new Map<string, number>();
        found.set(section, files.set(file, (files.get(file) ?? 0) + 1));
      }
    }
  }
  return found;
}

/**
 * Lists under each section of the specification the files that contain its tests.
 * @throws {Error} if a section has no test, or a test names a section that does not exist.
 */
export async function listTestsBySection(page: string): Promise<string> {
  const found = await findTests();
  const listed = page.replace(
    /<!-- tests-(\d+):begin -->[\s\S]*?<!-- tests-\1:end -->/g,
    (_, section: string) => {
      const files = [...(found.get(section) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      if (files.length === 0) throw new Error(`No test has a title that starts with §${section}.`);
      found.delete(section);
      const links = files.map(
        ([file, count]) => `[${file.split("/").at(-1)}](../${file}) (${count})`,
      );
      return `<!-- tests-${section}:begin -->\n*Tests:* ${links.join(", ")}\n<!-- tests-${section}:end -->`;
    },
  );
  const unknown = [...found.keys()];
  if (unknown.length > 0) {
    throw new Error(
      `Tests name §${unknown.join(", §")}, which docs/specification.md does not have.`,
    );
  }
  return listed;
}
