import type { ClientError } from "./client-error.js";

/** How often and after which delays a call is repeated. */
export interface RetryOptions {
  /** Maximum number of attempts of one call. Default: 5. */
  readonly tries?: number;
  /** Maximum first delay in milliseconds. Each later maximum is twice the one before. Default: 1,000. */
  readonly baseMs?: number;
  /**
   * Maximum delay in milliseconds. If the server asks for a longer one, the call fails without another
   * attempt. Default: 60,000.
   */
  readonly maxMs?: number;
}

/** A source of unpredictable bytes. `Random` of `@device-gateway/core` is compatible. */
export interface Random {
  bytes(length: number): Uint8Array;
}

/** Waits for `ms` milliseconds. Resolves at once when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** What a retry depends on. */
export interface RetryContext {
  readonly retry: Required<RetryOptions>;
  readonly random: Random;
  readonly sleep: Sleep;
  readonly onRetry: (error: ClientError, waitMs: number) => void;
}

export const defaultRetry: Required<RetryOptions> = { tries: 5, baseMs: 1_000, maxMs: 60_000 };

/** Returns a random number from 0 to below 1. */
function fraction(random: Random): number {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) / 2 ** 32;
}

/** Returns whether the same request may succeed later: no response, 429 or a server error. */
export const isTransient = ({ code, status = 0 }: ClientError): boolean =>
  code === "network" || status === 429 || status >= 500;

/**
 * Returns whether an error response came from the gateway and not from a proxy. The gateway's errors have a request id
 * (§0), also those with a code that only a later version of the API has.
 */
export const isFromGateway = ({ code, requestId }: ClientError): boolean =>
  code !== "unexpected_answer" || requestId !== undefined;

/** Returns whether the content was refused: 413, also by a proxy with a lower limit, or 400 from the gateway. */
export const refusesContent = (error: ClientError): boolean =>
  error.status === 413 || (error.status === 400 && isFromGateway(error));

/**
 * Returns the delay before the next attempt in milliseconds: what the server asked for, plus a random
 * part up to a bound that doubles with each attempt ("full jitter"), so that a fleet does not return
 * at the same moment. Null if the server asks for more than `maxMs`.
 */
export function chooseWait(
  attempt: number,
  { retryAfterSeconds = 0 }: ClientError,
  { retry, random }: Pick<RetryContext, "retry" | "random">,
): number | null {
  const requestedMs = retryAfterSeconds * 1000;
  if (requestedMs > retry.maxMs) return null;
  const bound = Math.min(retry.maxMs, retry.baseMs * 2 ** attempt);
  return requestedMs + Math.floor(fraction(random) * bound);
}

/** The longest delay of a loop without end. One wrong Retry-After must not stop a device for days. */
const maxLoopDelayMs = 3_600_000;

/**
 * Returns the delay in milliseconds after which a loop without end tries again: what the server asked for, at most an
 * hour, and at least `minMs`.
 */
export const chooseLoopDelay = (minMs: number, { retryAfterSeconds = 0 }: ClientError): number =>
  Math.max(minMs, Math.min(maxLoopDelayMs, retryAfterSeconds * 1000));
