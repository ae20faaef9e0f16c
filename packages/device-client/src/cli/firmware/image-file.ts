import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { CliError } from "../command.js";
import { type AppDescription, readAppDescription } from "./app-description.js";

export interface ImageFile {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** What an ESP32 image says of itself; null when it is none. */
  readonly description: AppDescription | null;
}

/** Reads a file once, a piece at a time. @throws {CliError} when there is nothing to read. */
export async function readImageFile(path: string): Promise<ImageFile> {
  const handle = await open(path).catch((fault: Error) => {
    throw new CliError(`${path} can't be read: ${fault.message}. Name the image that was built.`);
  });
  try {
    if (!(await handle.stat()).isFile()) throw new CliError(`${path} is no file. Name the image.`);
    const hash = createHash("sha256");
    let size = 0;
    let head: Uint8Array | undefined;
    for await (const piece of handle.createReadStream({ autoClose: false })) {
      const bytes = piece as Buffer;
      head ??= bytes;
      hash.update(bytes);
      size += bytes.length;
    }
    if (head === undefined) throw new CliError(`${path} is empty. Name the image that was built.`);
    return { path, size, sha256: hash.digest("hex"), description: readAppDescription(head) };
  } finally {
    await handle.close();
  }
}
