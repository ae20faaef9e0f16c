import type { SlowHash } from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";

/** A slow hash that finishes only when the attack says so. */
export interface ManualHash {
  readonly slowHash: SlowHash;
  /** Returns the number of running hashes. */
  running(): number;
  /** Finishes the oldest running hash. Returns false if there is none. */
  finishOne(): boolean;
}

export function createManualHash(): ManualHash {
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
    finishOne() {
      const end = running.shift();
      end?.();
      return end !== undefined;
    },
  };
}
