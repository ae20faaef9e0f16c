import type { ErrorCode, FieldError } from "@device-gateway/core/contract";

/** The server's codes, and of a device `storage`: its secret could not be read or kept. */
type KnownCode = ErrorCode | "storage";

/** Why a call did not get one of its route's answers. */
export interface ClientError<Code extends KnownCode = KnownCode> {
  /**
   * One of the route's own codes; `network` when no answer came, so that it is unknown whether
   * the request took effect, or no token to ask with; `unexpected_answer` when what came is not the API's.
   */
  readonly code: Code | "network" | "unexpected_answer";
  /** What went wrong and what to do, for a person. */
  readonly message: string;
  readonly status?: number;
  /** What was wrong with which field of the request. */
  readonly errors?: readonly FieldError[];
  /** Seconds to wait before the next try, when the server said so. */
  readonly retryAfterSeconds?: number;
  /** Find the request by this in the server's log. */
  readonly requestId?: string;
  /** Of `unauthorized`: why signing in again did not help. */
  readonly cause?: ClientError;
}
