import { readFile } from "node:fs/promises";

/** What a file holds; null when there is none. */
export async function readFileIfAny(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
