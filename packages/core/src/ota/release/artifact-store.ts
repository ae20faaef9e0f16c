/** Hash and size of an image, as its release describes it. */
export interface ArtifactFacts {
  /** Lower-case hexadecimal. It is also the name of the image. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

export type WriteArtifactOutcome =
  | { readonly kind: "stored" }
  /** The content was something else and is not kept. Reading stops as soon as it is too long. */
  | { readonly kind: "mismatch"; readonly reason: "size" | "sha256" };

/**
 * Stores firmware images by their SHA-256. Methods reject with `StoreUnavailableError` if the storage cannot answer
 * now. No method holds a whole image in memory.
 */
export interface ArtifactStore {
  /**
   * Stores content if it is the expected image. Resolves when it is durable. Until then, nothing exists under its
   * name, however the process ends. It can be repeated and called concurrently. If `content` fails, rejects with its
   * error and keeps nothing.
   */
  write(input: {
    expected: ArtifactFacts;
    content: AsyncIterable<Uint8Array>;
  }): Promise<WriteArtifactOutcome>;
  /**
   * Returns the bytes from `start` (inclusive) to `end` (exclusive), or null if there is no such image. The gateway calls
   * `return` of the iterator, and `destroy` of a Node stream, if it reads nothing, for example for a HEAD request. If the
   * bytes are a generator, open the image in it, not before: a generator that has not started runs no `finally`.
   */
  open(input: {
    sha256: string;
    start: number;
    end: number;
  }): Promise<AsyncIterable<Uint8Array> | null>;
}
