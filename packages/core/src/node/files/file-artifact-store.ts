import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ArtifactFacts, ArtifactStore, WriteArtifactOutcome } from "../../store.js";
import { asStoreError } from "./file-error.js";
import { makeDurableFolder, syncFolder } from "./make-durable-folder.js";
import { createTurnLimit } from "./turn-limit.js";

export interface FileArtifactStoreOptions {
  /** The folder of the images. It is created if it is missing. Several processes can share it. */
  readonly folder: string;
}

/** Small, so that a slow client's progress is noticed and many downloads take little memory. */
const pieceBytes = 32 * 1024;
/** However many downloads run, each turn of the event loop has time for other requests. */
const pass = createTurnLimit(8);
/** A file that is still written changes more often: an upload that receives nothing ends after a minute. */
const leftoverMs = 10 * 60_000;
const temporaryPrefix = ".draft-";

/** Deletes the temporary files of processes that were killed. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const temporary = join(folder, name);
    // Another process may delete or rename it at the same time.
    const found = await stat(temporary).catch(() => null);
    if (found && Date.now() - found.mtimeMs > leftoverMs) await rm(temporary, { force: true });
  }
}

/** Writes content to a temporary file. Stops as soon as the content cannot be the expected image. */
async function writeTemporary(
  temporary: FileHandle,
  { sha256, size }: ArtifactFacts,
  content: AsyncIterable<Uint8Array>,
): Promise<WriteArtifactOutcome> {
  const hash = createHash("sha256");
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > size) return { kind: "mismatch", reason: "size" };
    hash.update(piece);
    await asStoreError(() => temporary.writeFile(piece));
  }
  if (length !== size) return { kind: "mismatch", reason: "size" };
  if (hash.digest("hex") !== sha256) return { kind: "mismatch", reason: "sha256" };
  await asStoreError(() => temporary.sync());
  return { kind: "stored" };
}

/**
 * Creates a store that keeps images as files named by their SHA-256. Only the process's user can read the folder and
 * the files. An image is written to a temporary file, made durable and only then renamed. Rejects if the folder cannot
 * be created or read.
 *
 * @example
 * const artifacts = await createFileArtifactStore({ folder: "data/firmware" });
 * const gateway = await createGateway({ store, secrets, firmware: { keys, artifacts } });
 */
export async function createFileArtifactStore(
  options: FileArtifactStoreOptions,
): Promise<ArtifactStore> {
  const folder = resolve(options.folder);
  await makeDurableFolder(folder);
  await removeLeftovers(folder);

  function pathOf(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256))
      throw new TypeError(`${sha256} is not a SHA-256 of 64 lower-case hexadecimal digits.`);
    return join(folder, sha256);
  }

  async function sizeOf(sha256: string): Promise<number | null> {
    try {
      return (await stat(pathOf(sha256))).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  return {
    async write({ expected, content }) {
      const path = pathOf(expected.sha256);
      const temporaryPath = join(folder, temporaryPrefix + randomBytes(8).toString("hex"));
      await asStoreError(() => removeLeftovers(folder));
      const temporary = await asStoreError(() => open(temporaryPath, "wx", 0o600));
      try {
        const outcome = await writeTemporary(temporary, expected, content).finally(() =>
          asStoreError(() => temporary.close()),
        );
        if (outcome.kind === "stored") {
          await asStoreError(() => rename(temporaryPath, path));
          await asStoreError(() => syncFolder(folder));
        }
        return outcome;
      } finally {
        // A temporary file that cannot be deleted now is deleted later, as those of killed processes are.
        await rm(temporaryPath, { force: true }).catch(() => {});
      }
    },

    async open({ sha256, start, end }) {
      const size = await asStoreError(() => sizeOf(sha256));
      if (size === null) return null;
      if (end > size)
        throw new Error(
          `The image ${sha256} has ${size} bytes, but bytes up to ${end} were requested.`,
        );
      return readPieces(pathOf(sha256), start, end);
    },
  };
}

/** Opens the file when the first piece is read, so that a stream that nobody reads holds nothing. */
async function* readPieces(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (start >= end) return;
  const file = await asStoreError(() => open(path, "r"));
  try {
    for (let at = start; at < end; ) {
      await pass();
      const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - at));
      const { bytesRead } = await asStoreError(() => file.read(piece, 0, piece.length, at));
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await asStoreError(() => file.close());
  }
}
