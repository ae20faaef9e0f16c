import { AsyncLocalStorage } from "node:async_hooks";
import type { GatewayStore } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import { wrapStore } from "../wrap-store.js";

/**
 * How a store lets one down: it refuses; it has a bug; it did what was asked, and the answer was
 * lost; it says that it timed out, and does it a moment later all the same.
 */
export const faultKinds = ["unavailable", "broken", "lost", "late"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What goes wrong while something runs. */
export interface Plan {
  /** Asked at every call of a port, by name; null: it goes well. */
  strike(name: string): FaultKind | null;
}

const plans = new AsyncLocalStorage<Plan>();
const pending = new Set<Promise<unknown>>();

export const withPlan = <Answer>(plan: Plan, run: () => Promise<Answer>): Promise<Answer> =>
  plans.run(plan, run);

/** Resolves when everything that comes late has come. */
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
      throw new StoreUnavailableError("An outage that was planted");
    case "broken":
      throw new Error("A fault that was planted");
    case "lost":
      await run();
      throw new StoreUnavailableError("An answer that was lost");
    case "late":
      runLater(run);
      throw new StoreUnavailableError("A time-out that was planted");
  }
}

/** Every call of every port may go wrong, as the plan says that it is made in. */
export const createFaultyStore = (store: GatewayStore): GatewayStore =>
  wrapStore(store, (name, run) => {
    const kind = plans.getStore()?.strike(name) ?? null;
    return kind === null ? run() : fail(kind, run);
  });

/** A plan that strikes once, and keeps a list of the calls. */
export function planOnce(at: number, kind: FaultKind): Plan & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    strike: (name) => (calls.push(name) - 1 === at ? kind : null),
  };
}
