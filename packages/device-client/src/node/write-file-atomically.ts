import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a rename last: it is the folder that holds it. Windows can't, and need not. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts a text in the place of a file's, for this user only: after a crash it is the one or the other. */
export async function writeFileAtomically(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
}
