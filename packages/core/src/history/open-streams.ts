/** The long answers of a gateway, of one kind, by user: each holds memory for as long as it is read. */
export interface OpenStreams {
  /** Takes one of a user's streams; undefined when all are taken. Giving it back twice is once. */
  take(userId: string, end: () => void): (() => void) | undefined;
  /** Ends them all, and each that is taken later at once. */
  endAll(): void;
}

const streamsPerUser = 5;

export function createOpenStreams(): OpenStreams {
  const open = new Map<string, Set<() => void>>();
  let isOver = false;
  return {
    take(userId, end) {
      const taken = open.get(userId) ?? new Set();
      if (taken.size >= streamsPerUser) return undefined;
      taken.add(end);
      open.set(userId, taken);
      if (isOver) end();
      return () => {
        taken.delete(end);
        if (taken.size === 0 && open.get(userId) === taken) open.delete(userId);
      };
    },
    endAll() {
      isOver = true;
      for (const taken of open.values()) for (const end of taken) end();
    },
  };
}
