import type { GatewayOptions } from "@device-gateway/core";
import type { GrowthWorld } from "./growth-world.js";

/** The shortest interval at which a device may send telemetry, in milliseconds (§9). */
export const shortestIntervalMs = 500;
/** After this time every throttle of a device is full again, in milliseconds. */
export const refillMs = 60_000;

/** An attack that tries to make the store grow by more than it sends. */
export interface GrowthCase {
  readonly name: string;
  /** Whether the attack runs in every test run. The others run only if `GROWTH` is set. */
  readonly runsAlways?: boolean;
  readonly options?: Partial<GatewayOptions>;
  readonly requests: number;
  /** How far the clock advances between two requests, in milliseconds. */
  readonly stepMs: number;
  /** Prepares the attack, which is not measured. Returns a function that sends its n-th request. */
  prepare(world: GrowthWorld): Promise<(n: number) => Promise<unknown>>;
}

export const listOf = <Item>(length: number, item: (n: number) => Item): Item[] =>
  Array.from({ length }, (_, n) => item(n));
