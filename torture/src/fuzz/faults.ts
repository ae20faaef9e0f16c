import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock, GatewayStore, Throttle } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { disableWhenIdle } from "../../../examples/server/src/accounts/disable-when-idle.js";
import { wrapStore } from "../wrap-store.js";
import type { Fault } from "./message.js";

/** The planted fault of the current request. */
const faults = disableWhenIdle(new AsyncLocalStorage<Fault | null>());

/** Runs `run` with a planted fault in the store, the clock or the throttle. */
export const withFault = <Answer>(fault: Fault | null, run: () => Answer): Answer =>
  faults.run(fault, run);

function fail(): void {
  const fault = faults.getStore();
  if (fault === 500) throw new Error("A planted fault");
  if (fault === 503) throw new StoreUnavailableError("A planted outage");
}

export const faultyStore = (store: GatewayStore): GatewayStore =>
  wrapStore(store, async (_, run) => {
    fail();
    return run();
  });

/** Also fails, because even a cached answer reads the clock. */
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
