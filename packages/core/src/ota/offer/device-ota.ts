import type { OtaState } from "../../contract/index.js";

/** The release that a device was offered last, and the state of that update. */
export interface CurrentUpdate {
  readonly releaseId: number;
  readonly version: string;
  readonly state: OtaState;
}

/** A release that a device is not offered for a time, because it failed there too often. */
export interface ReleaseBlock {
  readonly releaseId: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/**
 * What the gateway knows about a device's updates. It is stored with the device, so that an offer needs no further
 * read.
 */
export interface OtaStanding {
  readonly current: CurrentUpdate | null;
  /** Expired blocks stay until the next report. */
  readonly blocks: readonly ReleaseBlock[];
  /** Fingerprint of the device's last posted event, to recognise a repetition. */
  readonly lastReport: string | null;
}

/** An "update now" request of the owner (§8), with the device's answer. */
export interface UpdateCommand {
  readonly requestId: string;
  readonly requestedAt: number;
  /** The status that the device sent. Null while the request waits. */
  readonly status: string | null;
  readonly message: string | null;
  readonly answeredAt: number | null;
}

/** All update data of a device. */
export interface DeviceOta extends OtaStanding {
  /** Set by an operator. */
  readonly channel: string;
  /** The only version that the device is offered. Null for the highest. Set by an operator. */
  readonly pinnedVersion: string | null;
  /** Whether the device is on a test bench: its failures block and halt nothing. Set by an operator. */
  readonly benchMode: boolean;
  readonly command: UpdateCommand | null;
  /** Whether the command of this request is open (`CommandStore`). */
  readonly isCommandOpen: boolean;
}

export const newStanding: OtaStanding = { current: null, blocks: [], lastReport: null };

const defaultChannel = "stable";

/** The data of a device that was never offered a release. */
export const newDeviceOta: DeviceOta = {
  channel: defaultChannel,
  pinnedVersion: null,
  benchMode: false,
  command: null,
  isCommandOpen: false,
  ...newStanding,
};

/**
 * Returns the "update now" request that the device has not answered, or null.
 *
 * @example
 * const requestId = waitingRequest(device.ota)?.requestId ?? null;
 */
export const waitingRequest = ({
  command,
  isCommandOpen,
}: Pick<DeviceOta, "command" | "isCommandOpen">): UpdateCommand | null =>
  isCommandOpen && command?.answeredAt === null ? command : null;

/** Returns the time until which a device is not offered a release, or null if it is not blocked. */
export function blockedUntil(
  { blocks }: OtaStanding,
  releaseId: number,
  now: number,
): number | null {
  const block = blocks.find((candidate) => candidate.releaseId === releaseId);
  return block !== undefined && now < block.until ? block.until : null;
}
