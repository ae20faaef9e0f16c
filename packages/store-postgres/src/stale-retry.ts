/** A shape, or a partition, that is known here is gone there: in another process it had had its time. */
const isStale = (error: unknown): boolean =>
  error instanceof Error && /^(23503|23514)$/.test((error as { code?: string }).code ?? "");

/** Runs what rests on things that this process remembers; if they are gone, forgets them and runs it anew. */
export type StaleRetry = <Outcome>(work: () => Promise<Outcome>) => Promise<Outcome>;

export const createStaleRetry =
  (...memories: readonly { forget(): void }[]): StaleRetry =>
  async (work) => {
    try {
      return await work();
    } catch (error) {
      if (!isStale(error)) throw error;
      for (const memory of memories) memory.forget();
      return work();
    }
  };
