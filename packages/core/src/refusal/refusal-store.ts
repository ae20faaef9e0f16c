import type { TelemetryRefusal } from "./telemetry-refusal.js";

/** Refusals of one code in one request. */
export type NewRefusal = Pick<TelemetryRefusal, "code" | "message" | "count">;

/** Counts what the gateway refused, one entry for each device and code. The erasure of a device deletes its entries. */
export interface RefusalStore {
  /**
   * Adds to the entries of a device. The codes of one call must differ. An entry whose `firstAt` is before `since` starts
   * again from 0, because it is about the time of an earlier owner. Ignores a device that does not exist.
   */
  add(input: {
    deviceId: string;
    now: number;
    since: number;
    refusals: readonly NewRefusal[];
  }): Promise<void>;
  /** Returns the entries of a device with a `firstAt` of `from` or later, the latest first. */
  list(input: { deviceId: string; from: number }): Promise<readonly TelemetryRefusal[]>;
  /** Returns, for each device in the given order, the latest `lastAt` of the entries that `list` returns, or null. */
  latest(
    devices: readonly { readonly deviceId: string; readonly from: number }[],
  ): Promise<readonly (number | null)[]>;
}
