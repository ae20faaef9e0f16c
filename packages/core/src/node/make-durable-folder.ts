import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

/**
 * Makes a folder (mode 0700) with those above it that are missing, so that no power cut takes one of
 * them back, with all that was put into it. Leaves folders that are there as they are.
 */
export async function makeDurableFolder(folder: string): Promise<void> {
  const topmost = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (topmost === undefined) return;
  const above = dirname(resolve(topmost));
  for (let made = resolve(folder); made !== above; made = dirname(made)) {
    await syncFolder(dirname(made));
  }
}
