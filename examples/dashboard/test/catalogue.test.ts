import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { findCodeWords, findVisibleText } from "./find-visible-text.js";

const folder = fileURLToPath(new URL("../src/", import.meta.url));
/** Its enumerations are words of the API. */
const contract = fileURLToPath(new URL("../../../packages/core/src/contract/", import.meta.url));

/** Literals that look like text and are none, or that no translation changes. */
const allowed: readonly RegExp[] = [
  /^(Edge|Opera|Firefox|Chrome|Safari|Android|Windows|Mac OS|Linux|curl)$/, // names of programs
  /^Bearer \0$/, // RFC 6750
  /^printf %s \0 \| openssl /, // a command
  /^\d+px /, // a font
  /^(short|medium|base)$/, // options of Intl
  /^(transparent|shown)$/, // a colour, and a class
  /^environment$/, // the camera at the back
  /^(raw|time|each)$/, // an interval of the API, a column of CSV files, a choice of the page
];
/** Its texts are programs in the languages of devices. */
const programs = /connect\/(.+\/)?samples\.ts$/;

interface File {
  readonly path: string;
  readonly text: string;
}

const parse = ({ path, text }: File) =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

async function readFiles(root: string): Promise<readonly File[]> {
  const paths = (await readdir(root, { recursive: true })).filter(
    (path) => /\.tsx?$/.test(path) && !path.includes(".test."),
  );
  return Promise.all(
    paths.sort().map(async (path) => ({ path, text: await readFile(root + path, "utf8") })),
  );
}

let files: readonly File[];
let wordsOfContract: ReadonlySet<string>;
beforeAll(async () => {
  files = await readFiles(folder);
  const texts = (await readFiles(contract)).flatMap(({ text }) => [...text.matchAll(/"(\w+)"/g)]);
  wordsOfContract = new Set(texts.map(([, word = ""]) => word));
});

const isCatalogue = ({ path }: File) => path.startsWith("text/");

test("no text that users see stands outside the catalogue", () => {
  const outside = files.filter((file) => !isCatalogue(file) && !programs.test(file.path));
  const sources = outside.map((file) => parse(file));
  const codeWords = new Set([...findCodeWords(sources), ...wordsOfContract]);
  const found = sources.flatMap((source) =>
    findVisibleText(source, codeWords)
      .filter(({ text }) => !allowed.some((pattern) => pattern.test(text)))
      .map(({ line, text }) => `${source.fileName}:${line} ${text}`),
  );
  expect(outside.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

test("each entry of the catalogue is used", () => {
  const entries: string[] = [];
  const used = new Set<string>();
  for (const file of files) {
    if (isCatalogue(file)) {
      const area = file.path.replace(/\.tsx?$/, ".js");
      for (const [, name] of file.text.matchAll(/^export const (\w+)/gm)) {
        entries.push(`${area} ${name}`);
      }
    }
    const imports = file.text.matchAll(
      /import (?:\* as (\w+)|\{([^}]+)\}) from "(?:\.+\/)+(?:text\/)?([\w-]+\.js)"/g,
    );
    for (const [, area, names = "", module] of imports) {
      for (const name of names.split(",")) used.add(`text/${module} ${name.trim()}`);
      if (area === undefined) continue;
      for (const [, name] of file.text.matchAll(new RegExp(`\\b${area}\\.(\\w+)`, "g"))) {
        used.add(`text/${module} ${name}`);
      }
    }
  }
  expect(entries.length).toBeGreaterThan(500);
  expect(entries.filter((entry) => !used.has(entry))).toEqual([]);
});

test("the search for text finds it in elements, attributes, expressions, arrays, templates and calls", () => {
  const find = (text: string) => {
    const source = parse({ path: "sample.tsx", text });
    return findVisibleText(source, findCodeWords([source])).map((found) => found.text);
  };
  expect(find("<p>Saved</p>")).toEqual(["Saved"]);
  expect(find('<p>{saved ? "yes" : "no"}</p>')).toEqual(["yes", "no"]);
  expect(find('<img alt="a gateway" class="card wide" />')).toEqual(["a gateway"]);
  expect(find(`<p title={\`\${count} left\`} />`)).toEqual(["\0 left"]);
  expect(find('showToast("Saved.")')).toEqual(["Saved."]);
  expect(find('<input name="Name" class={open ? "card open" : "card"} />')).toEqual(["Name"]);
  expect(find('<input id={kind === "other kind" ? "a" : "b"} />')).toEqual([]);
  expect(find('<p class="card wide">{text.saved}</p>')).toEqual([]);
  // Without a capital letter or a second word.
  expect(find('showToast("saved"); read("saved")')).toEqual(["saved"]);
  expect(find('const answer = isOn ? "yes" : "no"')).toEqual(["yes", "no"]);
  expect(find('const names = ["second", "minute"]')).toEqual(["second", "minute"]);
  expect(find('const labels = { "6h": "6 h" }')).toEqual(["6 h"]);
  expect(find(`const text = \`\${count} h\``)).toEqual(["\0 h"]);
  // A word that a program reads.
  expect(find('type Unit = "second"; const units = ["second"]')).toEqual([]);
  expect(find('const isOne = unit === "second"; const units = ["second"]')).toEqual([]);
});
