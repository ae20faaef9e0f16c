import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nameRepository } from "./name-repository.js";

test("a released package names its repository, home page and issues, and keeps its other fields", async () => {
  const packages = await mkdtemp(join(tmpdir(), "packages-"));
  onTestFinished(() => rm(packages, { recursive: true }));
  await mkdir(join(packages, "core"));
  const file = join(packages, "core/package.json");
  await writeFile(file, '{ "name": "@device-gateway/core", "license": "MIT" }');
  await nameRepository(packages, "https://git.test/iot/gateway");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    name: "@device-gateway/core",
    license: "MIT",
    homepage: "https://git.test/iot/gateway/tree/main/packages/core#readme",
    bugs: { url: "https://git.test/iot/gateway/issues" },
    repository: {
      type: "git",
      url: "git+https://git.test/iot/gateway.git",
      directory: "packages/core",
    },
  });
});
