import type { ErrorCode, RejectionCode, RouteName } from "../contract/index.js";

/** A request has its answer, or the first byte of it. */
export interface RequestAnswered {
  readonly kind: "request.answered";
  readonly requestId: string;
  /** Null: no route fits the request. */
  readonly route: RouteName | null;
  readonly status: number;
  /** Of the problem that the answer is; null: none. */
  readonly code: ErrorCode | null;
  /** What a 5xx is to blame on: `internal` is a fault of the program. */
  readonly fault: FaultCause | null;
  readonly durationMs: number;
}

export type FaultCause = "store" | "slow_hash" | "authenticator" | "deadline" | "internal";

/** What became of the records of one telemetry request (contract §4). */
export interface TelemetryJudged {
  readonly kind: "telemetry.judged";
  readonly stored: number;
  readonly duplicates: number;
  /** Why records were rejected, a reason for each. */
  readonly rejected: readonly RejectionCode[];
}

/** Somebody tried a code that was wrong, or a device that does not exist (contract §9). */
export interface CodeRefused {
  readonly kind: "code.refused";
  readonly at: "claim" | "register";
}

/** A call of the store failed, whoever made it. */
export interface StoreFailed {
  readonly kind: "store.failed";
  /** Port and method, such as `telemetry.append`. */
  readonly call: string;
  /** It said that it can't answer now; anything else is a fault of the program. */
  readonly unavailable: boolean;
}

/** What metrics are made of: how the gateway's work goes, in this process. */
export type Observation = RequestAnswered | TelemetryJudged | CodeRefused | StoreFailed;
