import { StoreUnavailableError } from "@device-gateway/core/store";

/**
 * Rejects if the call takes longer than `ms`. The call continues, and its outcome is unknown to the
 * caller.
 */
export function withTimeout<Outcome>(call: Promise<Outcome>, ms: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new StoreUnavailableError("The database took too long to answer."));
    const timer = setTimeout(expire, ms);
    call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
