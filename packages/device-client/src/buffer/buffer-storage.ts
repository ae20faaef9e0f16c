/**
 * Where a buffer keeps its journal: lines of text without line breaks. One buffer at a time uses
 * it. Methods are never called at the same time, and reject when the storage fails.
 */
export interface BufferStorage {
  /**
   * All lines, oldest first. Those that were being written when the power went may be missing, as
   * far as they are the last; all others are there.
   */
  load(): Promise<readonly string[]>;
  /** Writes lines at the end; resolves when they are durable. */
  append(lines: readonly string[]): Promise<void>;
  /** Puts lines in the place of all; after a crash there are either these or the former ones. */
  replace(lines: readonly string[]): Promise<void>;
}

/** Keeps the journal as long as the process lives. */
export function createMemoryBuffer(): BufferStorage {
  let kept: string[] = [];
  return {
    load: async () => [...kept],
    async append(lines) {
      kept.push(...lines);
    },
    async replace(lines) {
      kept = [...lines];
    },
  };
}
