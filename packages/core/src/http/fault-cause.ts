import type { FaultCause } from "../events/observation.js";
import { SlowHashBusyError } from "../ports/slow-hash.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { AuthenticatorUnavailableError } from "./authenticate.js";
import { DeadlineError } from "./deadline.js";

/** Returns the cause of a failed request. Every cause except `internal` may pass by itself. */
export function causeOf(fault: unknown): FaultCause {
  if (fault instanceof StoreUnavailableError) return "store";
  if (fault instanceof SlowHashBusyError) return "slow_hash";
  if (fault instanceof AuthenticatorUnavailableError) return "authenticator";
  return fault instanceof DeadlineError ? "deadline" : "internal";
}
