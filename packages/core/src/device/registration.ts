import type { Result } from "neverthrow";
import type { ClaimCode } from "../claim/claim-code.js";
import type { GatewayContext } from "../context.js";
import type { RegisterAnswer, RegisterRequest } from "../contract/index.js";
import { runHook } from "../hooks/run-hook.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { RegistrationFacts } from "./decide-registration.js";

/** A registration with its normalised claim code. The code is null for a legacy device. */
export interface RegistrationInput {
  readonly request: RegisterRequest;
  readonly claimCode: ClaimCode | null;
  readonly origin: RequestOrigin;
  /** Waits for the next turn of the event loop. Rejects if nobody waits for the response any more. */
  readonly turn: () => Promise<void>;
}

export interface Registration {
  readonly isNew: boolean;
  readonly answer: RegisterAnswer;
}

export type RegisterFailure = Failure<
  "invalid_request" | "device_not_admitted" | "device_already_registered" | "too_many_attempts"
>;

/** Calls the embedder's hook, after a known device has proved its identity. */
export const admitDevice = (
  { policies }: GatewayContext,
  { request, origin }: RegistrationInput,
  known: RegistrationFacts | null,
): Promise<Result<void, RegisterFailure>> => {
  const { deviceId, hardwareId, firmwareVersion } = request;
  const device = { deviceId, hardwareId, firmwareVersion, known, origin };
  return runHook(policies.before, "register", "device_not_admitted", device);
};

/** The outcome of one run. `changed`: another request changed the device meanwhile, so read it again. */
export type RegistrationOutcome = Result<Registration, RegisterFailure> | "changed";
