import { open, readFile, rename } from "node:fs/promises";

/**
 * Replaces a file atomically, readable by this user only. A reader sees the old text or the new one, also after a power
 * cut.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await open(temporary, "w", 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

/** Returns the text of a file, or undefined if it does not exist. */
export async function readFileIfAny(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
