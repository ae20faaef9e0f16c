import { AsyncLocalStorage } from "node:async_hooks";
import type { GatewayStore } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { wrapStore } from "../wrap-store.js";

/**
 * How a store lets one down: it refuses; it has a bug; it never answers; it did what was asked, and
 * the answer was lost.
 */
export const faultKinds = ["unavailable", "broken", "silent", "lost"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** The one call that goes wrong while something runs: the how-many-th, and how. */
export interface PlannedFault {
  readonly kind: FaultKind;
  readonly at: number;
  /** Calls that the run made so far. */
  calls: string[];
}

const plans = new AsyncLocalStorage<PlannedFault>();

export const withPlan = <Answer>(plan: PlannedFault, run: () => Promise<Answer>): Promise<Answer> =>
  plans.run(plan, run);

const never = new Promise<never>(() => {});

async function strike(kind: FaultKind, run: () => Promise<unknown>): Promise<unknown> {
  switch (kind) {
    case "unavailable":
      throw new StoreUnavailableError("An outage that was planted");
    case "broken":
      throw new Error("A fault that was planted");
    case "silent":
      return never;
    case "lost":
      await run();
      throw new StoreUnavailableError("An answer that was lost");
  }
}

/** Every call of every port may go wrong, as the plan of the run says that it is made in. */
export const faultyStore = (store: GatewayStore): GatewayStore =>
  wrapStore(store, (name, run) => {
    const plan = plans.getStore();
    if (plan === undefined) return run();
    plan.calls.push(name);
    return plan.calls.length - 1 === plan.at ? strike(plan.kind, run) : run();
  });
