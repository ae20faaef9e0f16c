/**
 * Stores the journal of a buffer: lines of text without line breaks. Only one buffer may use it at
 * a time. Its methods are never called concurrently. They reject if the storage fails.
 */
export interface BufferStorage {
  /**
   * Returns all lines, oldest first. Only the last lines may be missing, and only if the power
   * failed while they were written.
   */
  load(): Promise<readonly string[]>;
  /** Appends lines. Resolves when they are durable. */
  append(lines: readonly string[]): Promise<void>;
  /** Replaces all lines. After a crash, the storage has either the new lines or the old ones. */
  replace(lines: readonly string[]): Promise<void>;
}

/**
 * Creates a buffer storage in memory. It loses its records when the process ends.
 * @example
 * const buffer = createMemoryBuffer();
 * const device = createDevice({ baseUrl, identity, buffer });
 */
export function createMemoryBuffer(): BufferStorage {
  let stored: string[] = [];
  return {
    load: async () => [...stored],
    async append(lines) {
      stored.push(...lines);
    },
    async replace(lines) {
      stored = [...lines];
    },
  };
}
