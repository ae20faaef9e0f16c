import type { SlowHash } from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";

/** A slow hash that takes as long as its driver says: each ends only when it is let through. */
export interface Turnstile {
  readonly slowHash: SlowHash;
  /** Hashes that have begun and have not ended. */
  running(): number;
  /** Ends the oldest running hash; false if there is none. */
  letOneThrough(): boolean;
}

export function createTurnstile(): Turnstile {
  const real = createLibuvSlowHash();
  const running: (() => void)[] = [];
  return {
    slowHash: {
      async derive(...input) {
        await new Promise<void>((resolve) => {
          running.push(resolve);
        });
        return real.derive(...input);
      },
    },
    running: () => running.length,
    letOneThrough() {
      const end = running.shift();
      end?.();
      return end !== undefined;
    },
  };
}
