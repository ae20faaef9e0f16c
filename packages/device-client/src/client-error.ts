import type { ErrorCode, FieldError } from "@device-gateway/core/contract";

/** The codes of the server, and `storage` if a device could not read or store its secret. */
type KnownCode = ErrorCode | "storage";

/** Why a call did not get a successful response. */
export interface ClientError<Code extends KnownCode = KnownCode> {
  /**
   * One of the route's own error codes, or `network` if no response arrived, in which case it is
   * unknown whether the request took effect, or if no token was available. `unexpected_answer` means
   * that the response did not come from the API. `unsendable` means that nothing was sent, because the
   * token or the content of the request is malformed.
   */
  readonly code: Code | "network" | "unexpected_answer" | "unsendable";
  /** What is wrong and what to do, as a sentence for people. */
  readonly message: string;
  /** HTTP status. Absent if no response to the call arrived. If signing in failed, `cause` may have the status of that response. */
  readonly status?: number;
  /** The invalid fields of the request. */
  readonly errors?: readonly FieldError[];
  /** Seconds to wait before the next attempt, if the server asked for a delay. */
  readonly retryAfterSeconds?: number;
  /** Id of the request in the server's log. */
  readonly requestId?: string;
  /** With `unauthorized` or `unexpected_answer` of a device: why it could not sign in. */
  readonly cause?: ClientError;
}
