import { accessSync, constants, mkdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { createRunFolder } from "./once-per-run.js";

const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

let folder: string | undefined;

/** Returns whether a folder in memory exists and has enough room for the databases of a run. */
function isMemoryRoomy(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

/**
 * Creates the folder that the processes of a test run share, before they start. It also has their temporary files, in
 * memory if possible: tests on Postgres create and delete so many files that this saves CPU time.
 * `TMPDIR` names another folder.
 */
export function setup(): void {
  if (process.env.TMPDIR === undefined && isMemoryRoomy()) process.env.TMPDIR = memory;
  folder = createRunFolder();
  const files = join(folder, "tmp");
  mkdirSync(files, { mode: 0o755 });
  process.env.TMPDIR = files;
}

export function teardown(): void {
  // A process that is just ending may still write there.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
