import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { buildPage } from "./build-page.js";

const budget = 60 * 1024;
/** The first view and the device page, which adds the charts. */
const deviceBudget = 80 * 1024;

let pageFolder: string;
beforeAll(async () => {
  pageFolder = await buildPage();
});

/** Returns a script with all its static imports. Dynamic imports are left out. */
async function scriptsOf(entry: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(entry)) return found;
  found.add(entry);
  const text = await readFile(join(pageFolder, "assets", entry), "utf8");
  for (const [, file = ""] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    await scriptsOf(file, found);
  }
  return found;
}

async function compressedSize(files: Iterable<string>): Promise<number> {
  const sizes = [...files].map(
    async (file) => gzipSync(await readFile(join(pageFolder, "assets", file))).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("the first view needs less than 60 KB of compressed script and style, and a device page less than 80 KB", async () => {
  const html = await readFile(join(pageFolder, "index.html"), "utf8");
  const [, entry = ""] = /src="\/assets\/([\w.-]+\.js)"/.exec(html) ?? [];
  const [, style = ""] = /href="\/assets\/([\w.-]+\.css)"/.exec(html) ?? [];
  const first = await scriptsOf(entry);
  expect(await compressedSize([...first, style])).toBeLessThan(budget);
  const files = await readdir(join(pageFolder, "assets"));
  const device = files.filter((file) => /^device-page-.*\.(js|css)$/.test(file));
  const script = device.find((file) => file.endsWith(".js")) ?? "";
  const all = [...(await scriptsOf(script, first)), ...device, style];
  expect(await compressedSize(new Set(all))).toBeLessThan(deviceBudget);
});

test("no script contains zod, and each file has its compressed copies", async () => {
  const files = await readdir(join(pageFolder, "assets"));
  for (const file of files.filter((name) => /\.(js|css)$/.test(name))) {
    expect(files).toEqual(expect.arrayContaining([`${file}.br`, `${file}.gz`]));
    const text = await readFile(join(pageFolder, "assets", file), "utf8");
    expect([file, text.includes("ZodError")]).toEqual([file, false]);
  }
});
