import { AsyncLocalStorage } from "node:async_hooks";
import type { GatewayStore } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { disableWhenIdle } from "../../../examples/server/src/accounts/disable-when-idle.js";
import { wrapStore } from "../wrap-store.js";

/**
 * How a call of the store fails. `unavailable`: it is refused. `broken`: it throws another error. `lost`: it
 * is done, but the answer is lost. `late`: it times out, but is done 3 ms later.
 */
export const faultKinds = ["unavailable", "broken", "lost", "late"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Decides which calls of the store fail during an operation. */
export interface Plan {
  /** Returns how the call of this method fails, or null if it succeeds. */
  faultFor(name: string): FaultKind | null;
}

const plans = disableWhenIdle(new AsyncLocalStorage<Plan>());
const pending = new Set<Promise<unknown>>();

export const withPlan = <Answer>(plan: Plan, run: () => Promise<Answer>): Promise<Answer> =>
  plans.run(plan, run);

/** Resolves when all late calls are done. */
export async function settle(): Promise<void> {
  await Promise.allSettled([...pending]);
}

const laterMs = 3;

function runLater(run: () => Promise<unknown>): void {
  const late = new Promise((resolve) => setTimeout(resolve, laterMs)).then(run);
  const forget = () => pending.delete(late);
  pending.add(late);
  late.then(forget, forget);
}

async function fail(kind: FaultKind, run: () => Promise<unknown>): Promise<never> {
  switch (kind) {
    case "unavailable":
      throw new StoreUnavailableError("A planted outage");
    case "broken":
      throw new Error("A planted fault");
    case "lost":
      await run();
      throw new StoreUnavailableError("A lost answer");
    case "late":
      runLater(run);
      throw new StoreUnavailableError("A planted timeout");
  }
}

/** Wraps a store so that each call fails as the current plan says. */
export const createFaultyStore = (store: GatewayStore): GatewayStore =>
  wrapStore(store, (name, run) => {
    const kind = plans.getStore()?.faultFor(name) ?? null;
    return kind === null ? run() : fail(kind, run);
  });

/** Creates a plan that makes the call at index `at` fail, and records the names of all calls. */
export function planOnce(at: number, kind: FaultKind): Plan & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    faultFor: (name) => (calls.push(name) - 1 === at ? kind : null),
  };
}
