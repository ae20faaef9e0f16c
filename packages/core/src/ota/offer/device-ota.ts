import type { OtaState } from "../../contract/index.js";

/** What a device was offered last, and how far it got. */
export interface CurrentUpdate {
  readonly releaseId: number;
  readonly version: string;
  readonly state: OtaState;
}

/** A release that a device is not offered for a time: it failed there too often. */
export interface ReleaseBlock {
  readonly releaseId: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** What reports write of a device's updates; read with the device, so that an offer costs no read. */
export interface OtaStanding {
  readonly current: CurrentUpdate | null;
  /** Those that are over stay until the next report. */
  readonly blocks: readonly ReleaseBlock[];
  /** What the device posted last, to tell what it only repeats. */
  readonly lastReport: string | null;
}

/** An owner's "update now" (contract §8), and what the device said to it. */
export interface UpdateCommand {
  readonly requestId: string;
  readonly requestedAt: number;
  /** The device's own word; null while the command waits. */
  readonly status: string | null;
  readonly message: string | null;
  readonly answeredAt: number | null;
}

/** What there is to know of a device's updates. */
export interface DeviceOta extends OtaStanding {
  /** Set by an operator. */
  readonly channel: string;
  /** The only version that the device is offered; null: the highest. Set by an operator. */
  readonly pinnedVersion: string | null;
  readonly command: UpdateCommand | null;
}

export const newStanding: OtaStanding = { current: null, blocks: [], lastReport: null };

const defaultChannel = "stable";

/** A device that was never offered anything. */
export const newDeviceOta: DeviceOta = {
  channel: defaultChannel,
  pinnedVersion: null,
  command: null,
  ...newStanding,
};

/** Until when a device is not offered a release; null if it may be. */
export function blockedUntil(
  { blocks }: OtaStanding,
  releaseId: number,
  now: number,
): number | null {
  const block = blocks.find((candidate) => candidate.releaseId === releaseId);
  return block !== undefined && now < block.until ? block.until : null;
}
