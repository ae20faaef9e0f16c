import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ArtifactFacts, ArtifactStore, WriteArtifactOutcome } from "../store.js";
import { unlessUnavailable } from "./file-error.js";
import { makeDurableFolder, syncFolder } from "./make-durable-folder.js";
import { createTurnstile } from "./turnstile.js";

export interface FileArtifactStoreOptions {
  /** Made when it is missing. Several processes may share it. */
  readonly folder: string;
}

/** Small, so that a slow client is seen to go on, and many of them take little memory. */
const pieceBytes = 32 * 1024;
/** However many download at once, each turn of the event loop has time for other requests. */
const pass = createTurnstile(8);
/** What is being written has news more often: an upload without any ends after a minute. */
const leftoverMs = 10 * 60_000;
const draftPrefix = ".draft-";

/** Removes what processes that were killed left behind. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = join(folder, name);
    // Another process may be removing it too, or giving it its name.
    const found = await stat(draft).catch(() => null);
    if (found && Date.now() - found.mtimeMs > leftoverMs) await rm(draft, { force: true });
  }
}

/** Writes what comes to a draft, as far as it may be what was expected. */
async function writeDraft(
  draft: FileHandle,
  { sha256, size }: ArtifactFacts,
  content: AsyncIterable<Uint8Array>,
): Promise<WriteArtifactOutcome> {
  const hash = createHash("sha256");
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > size) return { kind: "mismatch", reason: "size" };
    hash.update(piece);
    await unlessUnavailable(() => draft.writeFile(piece));
  }
  if (length !== size) return { kind: "mismatch", reason: "size" };
  if (hash.digest("hex") !== sha256) return { kind: "mismatch", reason: "sha256" };
  await unlessUnavailable(() => draft.sync());
  return { kind: "stored" };
}

/**
 * Keeps images as files named by their SHA-256 (folder and files are the process's user's alone). An
 * image is written beside its name, made durable and only then renamed. Rejects when the folder
 * can't be made or read.
 */
export async function createFileArtifactStore(
  options: FileArtifactStoreOptions,
): Promise<ArtifactStore> {
  const folder = resolve(options.folder);
  await makeDurableFolder(folder);
  await removeLeftovers(folder);

  function pathOf(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError(`${sha256} is no SHA-256.`);
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
      const draftPath = join(folder, draftPrefix + randomBytes(8).toString("hex"));
      await removeLeftovers(folder);
      const draft = await unlessUnavailable(() => open(draftPath, "wx", 0o600));
      try {
        const outcome = await writeDraft(draft, expected, content).finally(() => draft.close());
        if (outcome.kind === "stored") {
          await unlessUnavailable(() => rename(draftPath, path));
          await unlessUnavailable(() => syncFolder(folder));
        }
        return outcome;
      } finally {
        await rm(draftPath, { force: true });
      }
    },

    async open({ sha256, start, end }) {
      const size = await unlessUnavailable(() => sizeOf(sha256));
      if (size === null) return null;
      if (end > size) throw new Error(`The image ${sha256} has ${size} bytes, not ${end}.`);
      return readPieces(pathOf(sha256), start, end);
    },
  };
}

/** Opens the file when the first piece is asked for: a stream that nobody reads holds nothing. */
async function* readPieces(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (start >= end) return;
  const file = await unlessUnavailable(() => open(path, "r"));
  try {
    for (let at = start; at < end; ) {
      await pass();
      const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - at));
      const { bytesRead } = await unlessUnavailable(() => file.read(piece, 0, piece.length, at));
      if (bytesRead === 0) throw new Error(`${path} became shorter.`);
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
