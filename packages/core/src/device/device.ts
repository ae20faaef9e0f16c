import type { JsonObject } from "../json.js";
import type { DeviceProfile } from "./device-profile.js";

/** A secret's keyed hash, and the epoch that tokens issued for it carry. */
export interface Credential {
  readonly secretHash: string;
  readonly epoch: number;
}

/** What the owner or the embedder set for this one device, over the defaults (contract §5). */
export interface ConfigOverrides {
  readonly values: JsonObject;
  /** Raised by every change; 0 when there never was one. */
  readonly revision: number;
}

/** A registered gateway. */
export interface Device {
  readonly deviceId: string;
  readonly profile: DeviceProfile;
  /** Self-describing slow hash; null for a device from before claim codes. */
  readonly claimCodeHash: string | null;
  readonly credential: Credential;
  readonly configOverrides: ConfigOverrides;
  /** Epoch milliseconds. */
  readonly registeredAt: number;
}
