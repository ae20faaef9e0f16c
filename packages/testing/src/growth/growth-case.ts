import type { GatewayOptions } from "@device-gateway/core";
import type { GrowthWorld } from "./growth-world.js";

/** How often a device may send telemetry. */
export const highestRate = 500;
/** Every bucket of a device is full again. */
export const minute = 60_000;

/** Requests that try to make the store keep more than was sent. */
export interface GrowthCase {
  readonly name: string;
  readonly options?: Partial<GatewayOptions>;
  readonly requests: number;
  /** How far the clock moves between two requests, in milliseconds. */
  readonly stepMs: number;
  /** Prepares the attack, uncounted; returns what sends its n-th request. */
  prepare(world: GrowthWorld): Promise<(n: number) => Promise<unknown>>;
}

export const listOf = <Item>(length: number, item: (n: number) => Item): Item[] =>
  Array.from({ length }, (_, n) => item(n));
