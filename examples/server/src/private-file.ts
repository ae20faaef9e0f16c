import { open, readFile, rename } from "node:fs/promises";

/**
 * Replaces a file that only this user may read, whole or not at all: whoever opens it, also
 * after a power cut, sees the old text or the new one.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}.tmp`;
  const handle = await open(fresh, "w", 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}

/** The text of a file, or undefined if there is none. */
export async function readFileIfAny(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
