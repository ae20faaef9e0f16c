import { open } from "node:fs/promises";

/**
 * Makes the names of the files in a folder durable, after one was created or renamed. Windows cannot sync a folder and
 * does not need to.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
