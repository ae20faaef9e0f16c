import type { ClientError } from "./client-error.js";

export interface RetryOptions {
  /** Tries of one call in all. Default: 5. */
  readonly tries?: number;
  /** The first wait is at most so long, in milliseconds, and each later one twice that. Default: 1,000. */
  readonly baseMs?: number;
  /** No wait is longer, in milliseconds; a server that asks for more ends the tries. Default: 60,000. */
  readonly maxMs?: number;
}

/** Where unpredictable bytes come from: `Random` of the core fits. */
export interface Random {
  bytes(length: number): Uint8Array;
}

/** Waits so many milliseconds; resolves at once when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** What retries work with. */
export interface Patience {
  readonly retry: Required<RetryOptions>;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly onRetry: (error: ClientError, waitMs: number) => void;
}

export const defaultRetry: Required<RetryOptions> = { tries: 5, baseMs: 1_000, maxMs: 60_000 };

/** Anything from 0 up to, and without, 1. */
function fraction(random: Random): number {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32;
}

/** No answer, too many requests, or the server's own trouble: the same request may work later. */
export const isPassing = ({ code, status = 0 }: ClientError): boolean =>
  code === "network" || status === 429 || status >= 500;

/**
 * Milliseconds until the next try: anything up to the doubled bound ("full jitter", so that a fleet
 * does not come back in step), after what the server asked for. Null: it asks for too much.
 */
export function waitBefore(
  attempt: number,
  { retryAfterSeconds = 0 }: ClientError,
  { retry, random }: Pick<Patience, "retry" | "random">,
): number | null {
  const asked = retryAfterSeconds * 1000;
  if (asked > retry.maxMs) return null;
  const bound = Math.min(retry.maxMs, retry.baseMs * 2 ** attempt);
  return asked + Math.floor(fraction(random) * bound);
}
