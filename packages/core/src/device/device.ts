import type { DeviceOta } from "../ota/offer/device-ota.js";
import type { JsonObject } from "../shared/json.js";
import type { DeviceProfile } from "./device-profile.js";

/** The keyed hash of a secret, and the epoch that its tokens carry. */
export interface Credential {
  readonly secretHash: string;
  /** Higher than every earlier epoch of this device. */
  readonly epoch: number;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
}

/** A credential that the device received and has not used yet. */
export interface PendingCredential extends Credential {
  /** Created by a rotation at login, so that the next rotation may replace it. False if a registration created it. */
  readonly isRotation: boolean;
}

/** The device layer of the configuration: what the owner or the embedder set for this device (§5). */
export interface ConfigOverrides {
  readonly values: JsonObject;
  /** Raised by every change. 0 if there was none. */
  readonly revision: number;
}

export interface Ownership {
  readonly ownerId: string;
  readonly claimedAt: number;
  /** Epoch milliseconds. The owner does not see records that were measured or received earlier (§7). 0: sees all. */
  readonly visibleFrom: number;
}

/** A registered device. Times are epoch milliseconds. */
export interface Device {
  readonly deviceId: string;
  /** Raised by every transition that a decision about the device may depend on. */
  readonly revision: number;
  readonly profile: DeviceProfile;
  /** A slow hash with its parameters, or the keyed hash of a random code (§1). Null for a legacy device. */
  readonly claimCodeHash: string | null;
  /** A former owner used the claim code. It is invalid until the device registers another one. */
  readonly claimCodeSpent: boolean;
  readonly credential: Credential;
  /** The credential that the device received last and has not used. Its first use makes it current. */
  readonly pendingCredential: PendingCredential | null;
  readonly configOverrides: ConfigOverrides;
  readonly name: string | null;
  readonly ownership: Ownership | null;
  /** The device has or had an owner. */
  readonly ownedBefore: boolean;
  /** End of the re-enrolment window, or null. */
  readonly reEnrolmentUntil: number | null;
  readonly registeredAt: number;
  readonly firstUsedAt: number | null;
  readonly revokedAt: number | null;
  /** Time of the last authenticated request, accurate to a minute. */
  readonly lastSeenAt: number | null;
  readonly lastTelemetryAt: number | null;
  /** Identifies the last OTA section that became an event. */
  readonly otaFingerprint: string | null;
  /** Whether an open command may be left for the device (`CommandStore`). */
  readonly commandsWaiting: boolean;
  readonly ota: DeviceOta;
}
