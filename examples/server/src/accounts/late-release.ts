import type { Logger } from "@device-gateway/core";

interface LateReleaseOptions {
  /** Releases the devices of an account that does not exist. */
  readonly release: (userId: string) => Promise<void>;
  /** The longest time that a claim may take, in milliseconds. */
  readonly claimMs: number;
  readonly logger: Logger;
}

interface LateRelease {
  /** Releases the devices of a user after the longest time that a claim may take. Tries again after the same time. */
  schedule(userId: string): void;
  stop(): void;
}

/**
 * Creates what releases the devices of deleted accounts once more: a claim that began before the deletion may end after
 * it. The timers do not keep the process alive.
 */
export function createLateRelease({ release, claimMs, logger }: LateReleaseOptions): LateRelease {
  const timers = new Map<string, NodeJS.Timeout>();
  let isStopped = false;
  const schedule = (userId: string) => {
    clearTimeout(timers.get(userId));
    timers.delete(userId);
    if (isStopped) return;
    const run = () => {
      timers.delete(userId);
      release(userId).catch((error: unknown) => {
        logger.error(
          { err: error, userId },
          `The devices of a deleted account could not be released. This is tried again in ${claimMs / 1_000} s.`,
        );
        schedule(userId);
      });
    };
    timers.set(userId, setTimeout(run, claimMs).unref());
  };
  return {
    schedule,
    stop() {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
