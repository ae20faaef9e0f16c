import type { ErrorCode } from "../contract/index.js";
import type { FaultCause } from "../events/observation.js";
import { SlowHashBusyError } from "../ports/slow-hash.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { DeadlineError } from "./deadline.js";
import { AuthenticatorUnavailableError } from "./request/authenticate.js";
import { ClientGoneError } from "./request/client-gone-error.js";
import { UploadError } from "./request/upload.js";

/** Returns the cause of a failed request. Every cause except `internal` may be temporary. */
function causeOf(fault: unknown): FaultCause {
  if (fault instanceof StoreUnavailableError) return "store";
  if (fault instanceof SlowHashBusyError) return "slow_hash";
  if (fault instanceof AuthenticatorUnavailableError) return "authenticator";
  if (fault instanceof ClientGoneError) return "client_gone";
  return fault instanceof DeadlineError ? "deadline" : "internal";
}

/** Returns the error code of a request that threw. The cause is null if the client's upload is to blame. */
export function faultOf(thrown: unknown): { code: ErrorCode; fault: FaultCause | null } {
  if (thrown instanceof UploadError) return { code: thrown.code, fault: null };
  const fault = causeOf(thrown);
  return { code: fault === "internal" ? "internal" : "unavailable", fault };
}
