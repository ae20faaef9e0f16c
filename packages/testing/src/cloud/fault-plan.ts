import type { RouteName } from "@device-gateway/core/contract";
import type { Fault } from "./fault.js";

export interface FaultTimes {
  /** How many requests fail. Default: 1. */
  readonly times?: number;
  /** How many requests of the route succeed first. Default: 0. */
  readonly after?: number;
}

/** The faults that are planned for later requests. */
export interface FaultPlan {
  plan(route: RouteName | "any", fault: Fault, times?: FaultTimes): void;
  /** Returns the fault for a request of this route and counts it, or null if none is planned. */
  next(route: RouteName | null): Fault | null;
  clear(): void;
}

interface Planned {
  readonly route: RouteName | "any";
  readonly fault: Fault;
  skip: number;
  left: number;
}

export function createFaultPlan(): FaultPlan {
  let planned: Planned[] = [];
  return {
    plan(route, fault, { times = 1, after = 0 } = {}) {
      planned.push({ route, fault, skip: after, left: times });
    },
    next(route) {
      for (const entry of planned) {
        if (entry.route !== "any" && entry.route !== route) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
        } else if (entry.left > 0) {
          entry.left -= 1;
          return entry.fault;
        }
      }
      return null;
    },
    clear() {
      planned = [];
    },
  };
}
