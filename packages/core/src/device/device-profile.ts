import type { DeviceHints } from "../contract/index.js";
import { canonicalJson } from "../shared/json.js";

/** What a device reports about itself at registration and at each login. */
export interface DeviceProfile {
  readonly hardwareId: string;
  readonly firmwareVersion: string;
  /** Releases and configuration layers are matched on it. */
  readonly targetHardware: string;
  readonly hardwarePlatform: string | null;
  readonly hardwareModel: string | null;
  readonly boardProfile: string | null;
  /** Keyed hash of the fingerprint. The fingerprint itself is not stored. */
  readonly fingerprintHash: string | null;
  readonly capabilities: Readonly<Record<string, boolean>>;
}

type Hints = { readonly [Name in keyof DeviceHints]?: DeviceHints[Name] | undefined };
type HashFingerprint = (fingerprint: string) => string;

/** Returns the profile of a device that reported only the required fields. */
export function plainProfile(hardwareId: string, firmwareVersion: string): DeviceProfile {
  return {
    hardwareId,
    firmwareVersion,
    targetHardware: hardwareId,
    hardwarePlatform: null,
    hardwareModel: null,
    boardProfile: null,
    fingerprintHash: null,
    capabilities: {},
  };
}

/** Returns the profile with another hardwareId. A target that the device never reported changes with it (§1). */
export const onHardware = (known: DeviceProfile, hardwareId: string): DeviceProfile => ({
  ...known,
  hardwareId,
  targetHardware: known.targetHardware === known.hardwareId ? hardwareId : known.targetHardware,
});

/** Updates the known profile with the reported fields. Fields that were not reported stay. */
export function updateProfile(
  known: DeviceProfile,
  reported: Hints & { readonly firmwareVersion?: string | undefined },
  hashFingerprint: HashFingerprint,
): DeviceProfile {
  const fingerprint =
    reported.hardwareFingerprint === "unknown" ? undefined : reported.hardwareFingerprint;
  return {
    hardwareId: known.hardwareId,
    firmwareVersion: reported.firmwareVersion ?? known.firmwareVersion,
    targetHardware: reported.targetHardware ?? known.targetHardware,
    hardwarePlatform: reported.hardwarePlatform ?? known.hardwarePlatform,
    hardwareModel: reported.hardwareModel ?? known.hardwareModel,
    boardProfile: reported.boardProfile ?? known.boardProfile,
    fingerprintHash:
      fingerprint === undefined ? known.fingerprintHash : hashFingerprint(fingerprint),
    capabilities: reported.capabilities ?? known.capabilities,
  };
}

/** Returns whether two profiles say the same. After `updateProfile`, unchanged capabilities are the same object. */
export function equalProfiles(one: DeviceProfile, other: DeviceProfile): boolean {
  const { capabilities, ...texts } = one;
  const names = Object.keys(texts) as (keyof typeof texts)[];
  if (names.some((name) => one[name] !== other[name])) return false;
  if (capabilities === other.capabilities) return true;
  return canonicalJson(capabilities) === canonicalJson(other.capabilities);
}
