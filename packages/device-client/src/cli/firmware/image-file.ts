import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { CliError } from "../command.js";
import { type AppDescription, readAppDescription } from "./app-description.js";

export interface ImageFile {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The description inside an ESP32 image. Null for another file. */
  readonly description: AppDescription | null;
}

/** Reads and hashes an image in pieces. @throws {CliError} if it is unreadable or empty. */
export async function readImageFile(path: string): Promise<ImageFile> {
  const handle = await open(path).catch((fault: Error) => {
    throw new CliError(
      `${path} cannot be read: ${fault.message}. Pass the path of the firmware image.`,
    );
  });
  try {
    if (!(await handle.stat()).isFile())
      throw new CliError(`${path} is not a file. Pass the path of the firmware image.`);
    const hash = createHash("sha256");
    let size = 0;
    let head: Uint8Array | undefined;
    for await (const piece of handle.createReadStream({ autoClose: false })) {
      const bytes = piece as Buffer;
      head ??= bytes;
      hash.update(bytes);
      size += bytes.length;
    }
    if (head === undefined)
      throw new CliError(`${path} is empty. Pass the path of the firmware image.`);
    return { path, size, sha256: hash.digest("hex"), description: readAppDescription(head) };
  } finally {
    await handle.close();
  }
}
