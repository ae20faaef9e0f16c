import { readFile } from "node:fs/promises";

/** Returns the content of a file, or null if it does not exist. */
export async function readFileIfAny(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
