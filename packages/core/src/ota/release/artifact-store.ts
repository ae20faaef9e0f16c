/** An image as its release describes it. */
export interface ArtifactFacts {
  /** Lower-case hexadecimal; the name that it is found by. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

export type WriteArtifactOutcome =
  | { readonly kind: "stored" }
  /** Something else came, and is not kept; of what is longer, reading ends at once. */
  | { readonly kind: "mismatch"; readonly reason: "size" | "sha256" };

/**
 * Firmware images, by their SHA-256. Methods reject with `StoreUnavailableError` when the storage
 * can't answer now. No method holds a whole image in memory.
 */
export interface ArtifactStore {
  /**
   * Keeps what comes if it is what was expected; resolves when it is durable. Until then nothing is
   * found under its name, however the process ends. Safe to repeat, and at the same time. Rejects as
   * `content` does, and keeps nothing.
   */
  write(input: {
    expected: ArtifactFacts;
    content: AsyncIterable<Uint8Array>;
  }): Promise<WriteArtifactOutcome>;
  /** The bytes from `start` up to, not including, `end`; null when there is no such image. */
  open(input: {
    sha256: string;
    start: number;
    end: number;
  }): Promise<AsyncIterable<Uint8Array> | null>;
}
