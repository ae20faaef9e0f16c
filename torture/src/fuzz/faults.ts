import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock, GatewayStore, Throttle } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { wrapStore } from "../wrap-store.js";
import type { Fault } from "./message.js";

/** The fault of the request that is being answered. */
const faults = new AsyncLocalStorage<Fault | null>();

/** Answers with a fault, in every port that the answer comes to. */
export const withFault = <Answer>(fault: Fault | null, run: () => Answer): Answer =>
  faults.run(fault, run);

function fail(): void {
  const fault = faults.getStore();
  if (fault === 500) throw new Error("A fault that was planted");
  if (fault === 503) throw new StoreUnavailableError("An outage that was planted");
}

export const faultyStore = (store: GatewayStore): GatewayStore =>
  wrapStore(store, async (_, run) => {
    fail();
    return run();
  });

/** Even what is cached is looked at by the clock. */
export const faultyClock = (clock: Clock): Clock => ({
  now() {
    fail();
    return clock.now();
  },
});

export const faultyThrottle: Throttle = {
  take: () =>
    faults.getStore() === 429 ? { kind: "empty", retryAfterSeconds: 7 } : { kind: "taken" },
  giveBack: async () => {},
};
