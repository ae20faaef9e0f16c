import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Names the folder that the processes of a test run share. `run-folder.ts` creates it. */
export const runFolderVariable = "TEST_RUN_FOLDER";

/** Creates the folder that the processes of a run share. Other users may read it: root runs Postgres as another user. */
export function createRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "device-gateway-run-"));
  chmodSync(folder, 0o755);
  process.env[runFolderVariable] = folder;
  return folder;
}

/** Returns the run's folder. A process that is not part of a test run gets one of its own. */
function findRunFolder(): string {
  const shared = process.env[runFolderVariable];
  if (shared !== undefined) return shared;
  const own = createRunFolder();
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}

/**
 * Fills a folder once for all processes of a test run. The others wait for the first. If it fails, the next process
 * tries again, so that each reports the error.
 * @returns the path of the folder, which must not be changed.
 * @example
 * const page = await oncePerRun("page", (outDir) => build({ build: { outDir } }));
 */
export async function oncePerRun(
  name: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const run = findRunFolder();
  const folder = join(run, name);
  const [lock, draft] = [`${folder}.lock`, `${folder}.draft`];
  while (!existsSync(folder)) {
    const isFirst = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (!isFirst) {
      await wait(50);
      continue;
    }
    try {
      if (existsSync(folder)) continue;
      await mkdir(draft);
      await chmod(draft, 0o755);
      await fill(draft);
      await rename(draft, folder);
    } finally {
      await rm(draft, { recursive: true, force: true });
      await rm(lock, { recursive: true });
    }
  }
  return folder;
}
