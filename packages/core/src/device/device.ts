import type { DeviceOta } from "../ota/offer/device-ota.js";
import type { JsonObject } from "../shared/json.js";
import type { DeviceProfile } from "./device-profile.js";

/** A secret's keyed hash, and the epoch that tokens issued for it carry. */
export interface Credential {
  readonly secretHash: string;
  /** Unique among all that this device ever had, and rising. */
  readonly epoch: number;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
}

/** A credential that the device was given and has not used yet. */
export interface PendingCredential extends Credential {
  /** A rotation at login made it, and the next one may replace it; never what a registration gave. */
  readonly isRotation: boolean;
}

/** What the owner or the embedder set for this one device, over the defaults (contract §5). */
export interface ConfigOverrides {
  readonly values: JsonObject;
  /** Raised by every change; 0 when there never was one. */
  readonly revision: number;
}

export interface Ownership {
  readonly ownerId: string;
  readonly claimedAt: number;
  /** What was measured or received before is not the owner's to see (contract §7); 0: all is. */
  readonly visibleFrom: number;
}

/** A registered gateway. Times are epoch milliseconds. */
export interface Device {
  readonly deviceId: string;
  /** Raised by every transition that a decision about the device may rest on. */
  readonly revision: number;
  readonly profile: DeviceProfile;
  /** Self-describing slow hash; null for a device from before claim codes. */
  readonly claimCodeHash: string | null;
  /** The claim code was used by an owner who is gone, and is dead until another is registered. */
  readonly claimCodeSpent: boolean;
  readonly credential: Credential;
  /** What the device was given last and has not used yet: its first use makes it current. */
  readonly pendingCredential: PendingCredential | null;
  readonly configOverrides: ConfigOverrides;
  readonly name: string | null;
  readonly ownership: Ownership | null;
  /** Had an owner at some time, who may be gone. */
  readonly ownedBefore: boolean;
  /** Until when it may register again with its claim code though it is owned. */
  readonly reEnrolmentUntil: number | null;
  readonly registeredAt: number;
  readonly firstUsedAt: number | null;
  readonly revokedAt: number | null;
  /** The last authenticated request, to the minute. */
  readonly lastSeenAt: number | null;
  readonly lastTelemetryAt: number | null;
  /** What its OTA section said last, of those that became events. */
  readonly otaFingerprint: string | null;
  readonly ota: DeviceOta;
}
