/**
 * Writes an image of one megabyte to the folder in the first argument. Kills itself, as `kill -9` does, before the
 * step whose number is the second argument. Prints one word for each step, and `stored` at the end.
 */
import { writeSync } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { sampleImage, toArtifactFacts } from "@device-gateway/testing";

const [, , folder = "", fatalStep = ""] = process.argv;
let steps = 0;

function step(name: string): void {
  if (steps === Number(fatalStep)) process.kill(process.pid, "SIGKILL");
  steps += 1;
  writeSync(1, `${name}\n`);
}

// Replaces the functions of `fs` itself, so that each step of the store on files is counted, however it imports them.
const { open, rename } = fs;
fs.rename = async (from, to) => {
  step("rename");
  await rename(from, to);
};
fs.open = async (...input) => {
  step("open");
  return countSteps(await open(...input));
};
function countSteps(handle: FileHandle): FileHandle {
  const { writeFile, sync, close } = handle;
  return Object.assign(handle, {
    writeFile: async (...input: Parameters<typeof writeFile>) => {
      step("write");
      await writeFile.apply(handle, input);
    },
    sync: async () => {
      step("sync");
      await sync.apply(handle);
    },
    close: async () => {
      step("close");
      await close.apply(handle);
    },
  });
}
syncBuiltinESMExports();

const { createFileArtifactStore } = await import("../files/file-artifact-store.js");
const image = sampleImage(1_000_000);
async function* pieces() {
  for (let at = 0; at < image.length; at += 400_000) yield image.slice(at, at + 400_000);
}
const store = await createFileArtifactStore({ folder });
const { kind } = await store.write({ expected: toArtifactFacts(image), content: pieces() });
writeSync(1, `${kind}\n`);
