import type { ErrorCode, FieldError } from "./contract/index.js";

/** Which bucket ran dry, for the RateLimit fields of the answer. */
export interface Throttled {
  readonly bucket: string;
  readonly perMinute: number;
  readonly retryAfterSeconds: number;
}

/** An error that a use case answers with. What a person reads comes from the problem table. */
export interface Failure<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  /** What is wrong with which field. */
  readonly errors?: readonly FieldError[];
  readonly throttled?: Throttled;
}
