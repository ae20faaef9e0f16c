import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDurableFolder } from "./make-durable-folder.js";

test("missing folders are created for this user only, and existing ones stay unchanged", async () => {
  const base = await mkdtemp(join(tmpdir(), "durable-"));
  onTestFinished(() => rm(base, { recursive: true }));
  const folder = join(base, "a", "b");
  await makeDurableFolder(folder);
  await makeDurableFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});
