import type { ErrorCode, FieldError } from "../contract/index.js";

/** The error of a use case. The problem table has its status and sentence. */
export interface Failure<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  /** The invalid fields of the request. */
  readonly errors?: readonly FieldError[];
  /** Whether the connection ended before the request's body did. */
  readonly isCut?: boolean;
  /** Seconds until the client may try again. */
  readonly retryAfterSeconds?: number;
  /** Why a hook of the embedder refused. */
  readonly refusal?: { readonly reason: string; readonly detail: string };
  /** Total size in bytes of the content, for a range that cannot be satisfied. */
  readonly completeLength?: number;
  /** The empty token bucket, for the RateLimit fields of the response. */
  readonly bucket?: { readonly name: string; readonly perMinute: number };
}
