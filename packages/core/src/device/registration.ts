import type { Result } from "neverthrow";
import type { ClaimCode } from "../claim/claim-code.js";
import type { RequestOrigin } from "../context.js";
import type { RegisterAnswer, RegisterRequest } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";

/** A registration whose claim code has been read; null is firmware from before claim codes. */
export interface RegistrationInput {
  readonly request: RegisterRequest;
  readonly claimCode: ClaimCode | null;
  readonly origin: RequestOrigin;
}

export interface Registration {
  readonly isNew: boolean;
  readonly answer: RegisterAnswer;
}

export type RegisterFailure = Failure<
  "invalid_request" | "device_not_admitted" | "device_already_registered" | "too_many_attempts"
>;

/** What came of one try; `changed` when another changed the device meanwhile: look again. */
export type RegistrationAttempt = Result<Registration, RegisterFailure> | "changed";
