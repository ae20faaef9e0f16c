import type { ErrorCode, RejectionCode, RouteName } from "../contract/index.js";

/** A request got its response, or the first byte of it. */
export interface RequestAnswered {
  readonly kind: "request.answered";
  readonly requestId: string;
  /** Null: no route matches the request. */
  readonly route: RouteName | null;
  readonly status: number;
  /** The error code of the response. Null: the response is not an error. */
  readonly code: ErrorCode | null;
  /**
   * The cause of a 5xx. `internal` is a fault in the program, and `client_gone` means that the client disconnected before
   * its response was ready.
   */
  readonly fault: FaultCause | null;
  readonly durationMs: number;
}

export type FaultCause =
  | "store"
  | "slow_hash"
  | "authenticator"
  | "deadline"
  | "client_gone"
  | "internal";

/** The verdicts on the records of one telemetry request (§4). */
export interface TelemetryJudged {
  readonly kind: "telemetry.judged";
  readonly stored: number;
  readonly duplicates: number;
  /** One reason for each rejected record. */
  readonly rejected: readonly RejectionCode[];
}

/** The check of a code or secret failed: it was missing or wrong, or the device does not exist (§9). */
export interface CodeRefused {
  readonly kind: "code.refused";
  readonly at: "claim" | "register";
}

/** A store call failed. */
export interface StoreFailed {
  readonly kind: "store.failed";
  /** Port and method, such as `telemetry.append`. */
  readonly call: string;
  /** The store reported that it is unavailable. Any other error is a fault in the program. */
  readonly unavailable: boolean;
}

/** What the gateway observes about its work in this process. Metrics are built from it. */
export type Observation = RequestAnswered | TelemetryJudged | CodeRefused | StoreFailed;
