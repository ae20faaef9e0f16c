import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltPage, buildPage } from "./build-page.js";

const budget = 100 * 1024;

let built: BuiltPage;
beforeAll(async () => {
  built = await buildPage();
}, 60_000);
afterAll(() => built.remove());

/** Returns a script with all its static imports. Dynamic imports are left out. */
async function scriptsOf(entry: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(entry)) return found;
  found.add(entry);
  const text = await readFile(join(built.folder, "assets", entry), "utf8");
  for (const [, file = ""] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    await scriptsOf(file, found);
  }
  return found;
}

async function compressedSize(files: Iterable<string>): Promise<number> {
  const sizes = [...files].map(
    async (file) => gzipSync(await readFile(join(built.folder, "assets", file))).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test("the first view needs less than 100 KB of compressed script, and so does a device page", async () => {
  const html = await readFile(join(built.folder, "index.html"), "utf8");
  const [, entry = ""] = /src="\/assets\/([\w.-]+\.js)"/.exec(html) ?? [];
  const first = await scriptsOf(entry);
  expect(await compressedSize(first)).toBeLessThan(budget);
  const files = await readdir(join(built.folder, "assets"));
  const device = files.find((file) => /^device-page-.*\.js$/.test(file)) ?? "";
  expect(await compressedSize(await scriptsOf(device, first))).toBeLessThan(budget);
});

test("no script contains zod, and each file has its compressed copies", async () => {
  const files = await readdir(join(built.folder, "assets"));
  for (const file of files.filter((name) => /\.(js|css)$/.test(name))) {
    expect(files).toEqual(expect.arrayContaining([`${file}.br`, `${file}.gz`]));
    const text = await readFile(join(built.folder, "assets", file), "utf8");
    expect([file, text.includes("ZodError")]).toEqual([file, false]);
  }
});
