import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./sync-folder.js";

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces the content of a file that only the current user can access. After a crash, the file has
 * either the new text or the old one.
 */
export async function writeFileAtomically(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  try {
    await writeDurably(draft, text);
    await rename(draft, file);
  } catch (fault) {
    // A part of the text must not fill the disk.
    await rm(draft, { force: true }).catch(() => {});
    throw fault;
  }
  await syncFolder(dirname(file));
}
