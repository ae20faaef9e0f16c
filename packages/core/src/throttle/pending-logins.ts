/**
 * A login waits no longer than this for another one. The deadline of requests is longer.
 */
const maxWaitMs = 5_000;

interface Pending {
  /** Logins that have a token of their address and are not yet decided. */
  count: number;
  readonly waiting: Set<() => void>;
}

/**
 * Knows which addresses have logins that are not yet decided. A correct login returns its token, so another login from
 * its address need not be refused while one is pending: a whole site may come back at once.
 */
export interface PendingLogins {
  /** Counts a login. Call the returned function once, when the login is decided. */
  begin(address: string): () => void;
  /**
   * Waits until a login from the address is decided. Returns false at once if none is pending, and after five seconds.
   */
  wait(address: string): Promise<boolean>;
}

export function createPendingLogins(): PendingLogins {
  const addresses = new Map<string, Pending>();
  return {
    begin(address) {
      const pending = addresses.get(address) ?? { count: 0, waiting: new Set() };
      addresses.set(address, pending);
      pending.count += 1;
      return () => {
        pending.count -= 1;
        if (pending.count === 0) addresses.delete(address);
        // A decided login returns at most one token. After the last one, nobody may wait any more.
        const [first] = pending.waiting;
        for (const wake of pending.count === 0 ? [...pending.waiting] : [first]) wake?.();
      };
    },
    async wait(address) {
      const pending = addresses.get(address);
      if (pending === undefined) return false;
      return new Promise<boolean>((resolve) => {
        const end = (isDecided: boolean) => {
          clearTimeout(timer);
          pending.waiting.delete(wake);
          resolve(isDecided);
        };
        const wake = () => end(true);
        const timer = setTimeout(() => end(false), maxWaitMs);
        pending.waiting.add(wake);
      });
    },
  };
}
