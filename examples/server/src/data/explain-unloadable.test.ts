import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTempFolder } from "../testing/start-test-server.js";
import { explainUnloadable } from "./explain-unloadable.js";

async function loadNoModule(): Promise<unknown> {
  const file = join(await makeTempFolder(), "sqlite.node");
  await writeFile(file, "no module");
  try {
    process.dlopen({ exports: {} }, file);
    return undefined;
  } catch (error) {
    return error;
  }
}

test("a module that cannot be loaded is explained, with what to do", async () => {
  const cause = await loadNoModule();
  const explained = explainUnloadable(cause);
  expect(explained?.message).toContain("Delete the folder node_modules");
  expect(explained?.cause).toBe(cause);
});

test("other errors are not explained", () => {
  expect(explainUnloadable(new Error("no space"))).toBeUndefined();
  expect(explainUnloadable("no space")).toBeUndefined();
});
