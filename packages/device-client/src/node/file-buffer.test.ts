import {
  appendFile,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
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

/** Counts how often a folder is synced. */
async function countFolderSyncs() {
  const count = { folders: 0 };
  const handle = await open(tmpdir(), "r");
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  const spied = vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    if ((await this.stat()).isDirectory()) count.folders += 1;
    await sync.call(this);
  });
  onTestFinished(() => void spied.mockRestore());
  return count;
}

// Without this, a power cut removes a new file together with its acknowledged lines.
test.runIf(process.platform !== "win32")(
  "the name of a new journal is durable before its first line is acknowledged",
  async () => {
    const count = await countFolderSyncs();
    const buffer = createFileBuffer(await makeFile());
    await buffer.append(["r 1 {}"]);
    expect(count.folders).toBe(1);
    await buffer.append(["r 2 {}"]);
    expect(count.folders).toBe(1);
  },
);

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

test("a replacement that fails leaves no file behind", async () => {
  const file = await makeFile();
  // A file cannot take the place of a folder.
  await mkdir(file);
  await expect(createFileBuffer(file).replace(["n 1"])).rejects.toThrow();
  expect(await readdir(dirname(file))).toEqual([basename(file)]);
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
