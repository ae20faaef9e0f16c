import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeInputs, isBuiltFrom, writeStamp } from "./build-stamp.mjs";

let root;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "build-stamp-"));
  for (const folder of ["packages/core/src", "examples/server/dist", "examples/dashboard/dist"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, "packages/core/src/a.ts"), "1");
  await writeFile(join(root, "examples/server/dist/main.js"), "");
  await writeFile(join(root, "examples/dashboard/dist/index.html"), "");
});
afterEach(() => rm(root, { recursive: true }));

const isCurrent = () => isBuiltFrom(root, describeInputs(root));

test("a build is current until a source file changes, appears or disappears", async () => {
  expect(isCurrent()).toBe(false);
  writeStamp(root, describeInputs(root));
  expect(isCurrent()).toBe(true);

  await writeFile(join(root, "packages/core/src/b.ts"), "2");
  expect(isCurrent()).toBe(false);
  await rm(join(root, "packages/core/src/b.ts"));
  expect(isCurrent()).toBe(true);
  await writeFile(join(root, "packages/core/src/a.ts"), "longer");
  expect(isCurrent()).toBe(false);
});

test("a server's data is no source, but its source folder of that name is", async () => {
  for (const folder of ["data", "src/data"]) {
    await mkdir(join(root, "examples/server", folder), { recursive: true });
  }
  writeStamp(root, describeInputs(root));
  await writeFile(join(root, "examples/server/data/gateway.db"), "");
  expect(isCurrent()).toBe(true);
  await writeFile(join(root, "examples/server/src/data/open-data.ts"), "");
  expect(isCurrent()).toBe(false);
});

test("a build whose output was deleted is not current", async () => {
  writeStamp(root, describeInputs(root));
  await rm(join(root, "examples/server/dist/main.js"));
  expect(isCurrent()).toBe(false);
});

test("a file that changes during a build makes the next start build again", async () => {
  const before = describeInputs(root);
  await writeFile(join(root, "packages/core/src/a.ts"), "changed while building");
  writeStamp(root, before);
  expect(isCurrent()).toBe(false);
});
