import type { OtaState } from "../../contract/index.js";

/** How an update of a device ended last, for the rollout's guard. */
export type UpdateOutcome = "succeeded" | "failed";

/** One device's update to one release. Times are epoch milliseconds. */
export interface DeviceUpdate {
  readonly deviceId: string;
  readonly releaseId: number;
  readonly state: OtaState;
  /** What the device ran when it was offered the release first. */
  readonly fromVersion: string;
  readonly offeredAt: number;
  /** The last report that moved it. */
  readonly updatedAt: number;
  /** When attempts began, oldest first: those that can still make a loop. */
  readonly attempts: readonly number[];
  /** The server saw the last attempt begin: a download from the first byte. */
  readonly attemptServed: boolean;
  /** Failures since the last success or block. */
  readonly failures: number;
  /** What the guard counts this device as, and in which round of the rollout; null: not yet. */
  readonly outcome: { readonly kind: UpdateOutcome; readonly round: number } | null;
}

/** The way of an update that goes well, in order. */
export const updatePhases = [
  "offered",
  "downloading",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
  "succeeded",
] as const satisfies readonly OtaState[];

/** How far on its way an update in this state is; -1 when the attempt ended badly. */
export const phaseOf = (state: OtaState): number =>
  (updatePhases as readonly OtaState[]).indexOf(state);

/** An attempt began and has not ended. */
export const underWayStates = [
  "downloading",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
] as const satisfies readonly OtaState[];

export const isUnderWay = (state: OtaState): boolean =>
  (underWayStates as readonly OtaState[]).includes(state);

/** The device has the whole image: what goes wrong from here on is the release's doing. */
export const hasImage = (state: OtaState): boolean => isUnderWay(state) && state !== "downloading";

/** States that tell of a failure. */
const isFailure = (state: OtaState): boolean =>
  state === "failed" || state === "rejected" || state === "rolled_back" || state === "timed_out";

/** The attempt is over without the release running: another may begin. */
export const isGivenUp = (state: OtaState): boolean => isFailure(state) || state === "cancelled";
