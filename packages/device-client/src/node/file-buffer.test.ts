import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFileBuffer } from "./file-buffer.js";
import { createFileCredentials } from "./file-credentials.js";

async function makeFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "device-client-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "file");
}

test("another process reads the journal as it was appended and replaced", async () => {
  const file = await makeFile();
  const buffer = createFileBuffer(file);
  expect(await buffer.load()).toEqual([]);
  await buffer.append(["r 1 {}", 'r 2 {"ä":"\\n"}']);
  await buffer.append(["s 2 key"]);
  expect(await createFileBuffer(file).load()).toEqual(["r 1 {}", 'r 2 {"ä":"\\n"}', "s 2 key"]);
  await buffer.replace(["n 3"]);
  await buffer.append(["r 3 {}"]);
  expect(await createFileBuffer(file).load()).toEqual(["n 3", "r 3 {}"]);
  expect((await stat(file)).mode & 0o077).toBe(0);
});

test("a line that a crash cut short is removed, wherever it was cut", async () => {
  const whole = "r 1 {}\nr 2 {}\n";
  for (const torn of ["r", "r 3", 'r 3 {"a":', "r 3 {}", "\0\0\0\0"]) {
    const file = await makeFile();
    await writeFile(file, whole);
    await appendFile(file, torn);
    const buffer = createFileBuffer(file);
    expect(await buffer.load()).toEqual(["r 1 {}", "r 2 {}"]);
    await buffer.append(["r 3 {}"]);
    expect(await readFile(file, "utf8")).toBe(`${whole}r 3 {}\n`);
  }
});

test("a stored secret is loaded again, and a damaged file counts as no secret", async () => {
  const file = await makeFile();
  const credentials = createFileCredentials(file);
  expect(await credentials.load()).toBeNull();
  await credentials.save({ deviceSecret: "s-1" });
  await credentials.save({ deviceSecret: "s-2" });
  expect(await createFileCredentials(file).load()).toEqual({ deviceSecret: "s-2" });
  expect((await stat(file)).mode & 0o077).toBe(0);
  for (const damaged of ["", "{", "null", '{"deviceSecret":1}']) {
    await writeFile(file, damaged);
    expect(await credentials.load()).toBeNull();
  }
});
