import { StoreUnavailableError } from "@device-gateway/core/store";

/** Rejects when a call takes longer, which goes on: what comes of it is unknown then. */
export function answerInTime<Outcome>(call: Promise<Outcome>, ms: number): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new StoreUnavailableError("The database took too long."));
    const timer = setTimeout(give, ms);
    call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
