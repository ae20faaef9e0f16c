interface Pending {
  /** Logins that hold a token of their address while their secret is checked. */
  count: number;
  readonly waiting: Set<() => void>;
}

/**
 * Tracks the addresses with logins whose secret is still being checked. A correct login returns its token. So while one
 * is pending, another login from its address can wait instead of being refused: a whole site may return at once.
 */
export interface PendingLogins {
  /** Counts a login. Call the returned function once, after the secret was checked. */
  begin(address: string): () => void;
  /** Waits until a login from the address ends. Returns false at once if none is pending, and after `ms` milliseconds. */
  wait(address: string, ms: number): Promise<boolean>;
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
        // A login returns at most one token, so one waiting login is woken. After the last pending login, all are woken.
        const [first] = pending.waiting;
        for (const wake of pending.count === 0 ? [...pending.waiting] : [first]) wake?.();
      };
    },
    async wait(address, ms) {
      const pending = addresses.get(address);
      if (pending === undefined || ms <= 0) return false;
      return new Promise<boolean>((resolve) => {
        const end = (isDecided: boolean) => {
          clearTimeout(timer);
          pending.waiting.delete(wake);
          resolve(isDecided);
        };
        const wake = () => end(true);
        const timer = setTimeout(() => end(false), ms);
        pending.waiting.add(wake);
      });
    },
  };
}
