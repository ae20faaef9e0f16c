import type { ErrorCode, FieldError } from "../contract/index.js";

/** An error that a use case answers with. What a person reads comes from the problem table. */
export interface Failure<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  /** What is wrong with which field. */
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
  /** Bytes of what a range was asked of. */
  readonly completeLength?: number;
  /** Which token bucket ran dry, for the RateLimit fields of the answer. */
  readonly bucket?: { readonly name: string; readonly perMinute: number };
}
