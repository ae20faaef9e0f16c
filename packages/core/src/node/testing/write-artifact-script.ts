/**
 * Writes an image of a megabyte to the folder of its first argument, and kills itself, as `kill -9`
 * does, before the step that its second counts. Prints what it did, a word a step, and `stored`.
 */
import { writeSync } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { toArtifactFacts, sampleImage } from "@device-gateway/testing";

const [, , folder = "", deadlyStep = ""] = process.argv;
let steps = 0;

function step(name: string): void {
  if (steps === Number(deadlyStep)) process.kill(process.pid, "SIGKILL");
  steps += 1;
  writeSync(1, `${name}\n`);
}

// Every step that the store takes on files is counted, whatever it imports them as.
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

const { createFileArtifactStore } = await import("../file-artifact-store.js");
const image = sampleImage(1_000_000);
async function* pieces() {
  for (let at = 0; at < image.length; at += 400_000) yield image.slice(at, at + 400_000);
}
const store = await createFileArtifactStore({ folder });
const { kind } = await store.write({ expected: toArtifactFacts(image), content: pieces() });
writeSync(1, `${kind}\n`);
