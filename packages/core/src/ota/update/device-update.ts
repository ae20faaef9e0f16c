import type { OtaState } from "../../contract/index.js";

/** How a device's update ended last, as the rollout's tally counts it. */
export type UpdateOutcome = "succeeded" | "failed";

/** One device's update to one release. Times are epoch milliseconds. */
export interface DeviceUpdate {
  readonly deviceId: string;
  readonly releaseId: number;
  readonly state: OtaState;
  /** The version that the device ran when it was first offered the release. */
  readonly fromVersion: string;
  readonly offeredAt: number;
  /** Time of the last report that moved the update. */
  readonly updatedAt: number;
  /** Start times of attempts, oldest first. Only those that can still be part of a loop. */
  readonly attempts: readonly number[];
  /** Whether the server saw the last attempt start, with a download from the first byte. */
  readonly attemptServed: boolean;
  /** Failures since the last block, or since an operator cleared the blocks. A success undoes a time-out only. */
  readonly failures: number;
  /** How the tally counts this device, and in which round of the rollout. Null if it is not counted yet. */
  readonly outcome: { readonly kind: UpdateOutcome; readonly round: number } | null;
}

/** The states of a successful update, in order. */
export const updatePhases = [
  "offered",
  "downloading",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
  "succeeded",
] as const satisfies readonly OtaState[];

/** Returns the index of a state in a successful update, or -1 if the attempt ended without success. */
export const phaseOf = (state: OtaState): number =>
  (updatePhases as readonly OtaState[]).indexOf(state);

/** States of an attempt that started and has not ended. */
export const underWayStates = [
  "downloading",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
] as const satisfies readonly OtaState[];

/**
 * Returns whether an update in this state has begun and has not ended.
 *
 * @example
 * isUnderWay("downloading"); // true
 * isUnderWay("offered"); // false
 */
export const isUnderWay = (state: OtaState): boolean =>
  (underWayStates as readonly OtaState[]).includes(state);

/** Returns whether the device has the whole image. From here on, a failure is the release's fault. */
export const hasImage = (state: OtaState): boolean => isUnderWay(state) && state !== "downloading";

/** Returns whether a state is a failure. */
export const isFailure = (state: OtaState): boolean =>
  state === "failed" || state === "rejected" || state === "rolled_back" || state === "timed_out";

/** Returns whether an attempt ended without success, so that another may start. */
export const isGivenUp = (state: OtaState): boolean => isFailure(state) || state === "cancelled";
