import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeArtifactConformance, sampleImage, toArtifactFacts } from "@device-gateway/testing";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../../../scripts/bundle-programs.js";
import { StoreUnavailableError } from "../../ports/store-unavailable-error.js";
import { createFileArtifactStore } from "./file-artifact-store.js";

const makeFolder = () => mkdtemp(join(tmpdir(), "artifacts-"));

describeArtifactConformance("the file store", {
  async open() {
    const folder = await makeFolder();
    const handles = [
      await createFileArtifactStore({ folder: join(folder, "images") }),
      await createFileArtifactStore({ folder: join(folder, "images") }),
    ] as const;
    return { handles, dispose: () => rm(folder, { recursive: true }) };
  },
});

const script = "packages/core/src/node/testing/write-artifact-script.ts";

/** Returns the steps of a process that killed itself before one of them. */
async function runUntil(deadlyStep: number, folder: string): Promise<string[]> {
  const words = [await bundleProgram(script), folder, String(deadlyStep)];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, (error, stdout) => {
      if (error !== null && error.signal !== "SIGKILL") reject(error);
      else resolve(stdout.split("\n").slice(0, -1));
    });
  });
}

test("§6 a process that is killed at any step leaves the whole image under its name, or none", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  const expected = toArtifactFacts(sampleImage(1_000_000));
  const whole = await runUntil(-1, join(folder, "all"));
  const namedBy = whole.indexOf("rename") + 1;
  expect(whole).toEqual([
    ...["open", "sync", "close"],
    ...["open", "write", "write", "write", "sync", "close", "rename"],
    ...["open", "sync", "close", "stored"],
  ]);
  // The first three steps create the folder.
  const stepsToFail = whole.slice(3, -1).map((_, place) => place + 3);
  const killed = async (deadlyStep: number) => {
    const images = join(folder, String(deadlyStep));
    expect(await runUntil(deadlyStep, images)).toEqual(whole.slice(0, deadlyStep));
    const left = await readdir(images);
    const named = left.filter((name) => name === expected.sha256);
    expect([deadlyStep, named.length]).toEqual([deadlyStep, deadlyStep >= namedBy ? 1 : 0]);
    for (const name of named) {
      expect(toArtifactFacts(await readFile(join(images, name)))).toEqual(expected);
    }
    // The next writer stores the image and, after some time, deletes what the killed process left.
    const temporaries = left.filter((name) => name !== expected.sha256);
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of temporaries) await utimes(join(images, name), longAgo, longAgo);
    const store = await createFileArtifactStore({ folder: images });
    expect(await readdir(images)).toEqual(named);
    const found = await store.open({ sha256: expected.sha256, start: 0, end: 0 });
    expect(found !== null).toBe(named.length === 1);
  };
  for (let at = 0; at < stepsToFail.length; at += 4) {
    await Promise.all(stepsToFail.slice(at, at + 4).map(killed));
  }
});

test("§6 a temporary file that another process is writing is not deleted", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, ".draft-1"), "x");
  await createFileArtifactStore({ folder });
  expect(await readdir(folder)).toEqual([".draft-1"]);
});

test("§6 a name that is not a SHA-256 is rejected", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = await createFileArtifactStore({ folder: join(folder, "images") });
  await expect(store.open({ sha256: "../secrets.json", start: 0, end: 1 })).rejects.toThrow(
    TypeError,
  );
  expect((await stat(join(folder, "images"))).mode & 0o777).toBe(0o700);
});

test("an image that cannot be written, because the folder is gone, is unavailable", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const image = sampleImage(100);
  const expected = toArtifactFacts(image);
  async function* contentUntilGone() {
    yield image;
    await rm(folder, { recursive: true });
  }
  async function* content() {
    yield image;
  }
  const store = await createFileArtifactStore({ folder });
  const unavailable = (write: Promise<unknown>) =>
    expect(write).rejects.toThrow(StoreUnavailableError);
  await unavailable(store.write({ expected, content: contentUntilGone() }));
  await unavailable(store.write({ expected, content: content() }));
  await writeFile(folder, "a file instead of the folder");
  await unavailable(store.write({ expected, content: content() }));
});

test("an upload that breaks off fails with its own error, even if its temporary file cannot be deleted", async () => {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const image = sampleImage(100);
  async function* content() {
    yield image;
    await rm(folder, { recursive: true });
    await writeFile(folder, "a file instead of the folder");
    throw new Error("The client is gone.");
  }
  const store = await createFileArtifactStore({ folder });
  const write = store.write({ expected: toArtifactFacts(image), content: content() });
  await expect(write).rejects.toThrow("The client is gone.");
});
