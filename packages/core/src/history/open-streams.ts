/** Limits how many long responses of one kind each user has open, because each holds memory while it is read. */
export interface OpenStreams {
  /**
   * Takes a place for a stream of a user, or returns undefined if none is free. Calling the returned function twice
   * is safe.
   */
  take(userId: string, end: () => void): (() => void) | undefined;
  /** Ends all streams that are open now. */
  endOpen(): void;
  /** Ends all streams, and every later stream at once. */
  endAll(): void;
}

const streamsPerUser = 5;

export function createOpenStreams(): OpenStreams {
  const open = new Map<string, Set<() => void>>();
  let hasEnded = false;
  const endOpen = () => {
    for (const taken of open.values()) for (const end of taken) end();
  };
  return {
    take(userId, end) {
      const taken = open.get(userId) ?? new Set();
      if (taken.size >= streamsPerUser) return undefined;
      taken.add(end);
      open.set(userId, taken);
      if (hasEnded) end();
      return () => {
        taken.delete(end);
        if (taken.size === 0 && open.get(userId) === taken) open.delete(userId);
      };
    },
    endOpen,
    endAll() {
      hasEnded = true;
      endOpen();
    },
  };
}
