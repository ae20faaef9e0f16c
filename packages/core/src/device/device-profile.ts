import type { DeviceHints } from "../contract/index.js";

/** What a device says of itself, at registration and again at every login. */
export interface DeviceProfile {
  readonly hardwareId: string;
  readonly firmwareVersion: string;
  /** What releases and configuration layers are matched on. */
  readonly targetHardware: string;
  readonly hardwarePlatform: string | null;
  readonly hardwareModel: string | null;
  readonly boardProfile: string | null;
  /** Keyed hash of the fingerprint, which itself is not kept. */
  readonly fingerprintHash: string | null;
  readonly capabilities: Readonly<Record<string, boolean>>;
}

type Hints = { readonly [Name in keyof DeviceHints]?: DeviceHints[Name] | undefined };
type HashFingerprint = (fingerprint: string) => string;

/** The profile of a device that nothing is known of but the required fields. */
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

/** The profile on other hardware: a target that was never given follows (contract §1). */
export const onHardware = (known: DeviceProfile, hardwareId: string): DeviceProfile => ({
  ...known,
  hardwareId,
  targetHardware: known.targetHardware === known.hardwareId ? hardwareId : known.targetHardware,
});

/** Lays what a device says now over what was known; what it does not mention stays. */
export function updateProfile(
  known: DeviceProfile,
  said: Hints & { readonly firmwareVersion?: string | undefined },
  hashFingerprint: HashFingerprint,
): DeviceProfile {
  const fingerprint = said.hardwareFingerprint === "unknown" ? undefined : said.hardwareFingerprint;
  return {
    hardwareId: known.hardwareId,
    firmwareVersion: said.firmwareVersion ?? known.firmwareVersion,
    targetHardware: said.targetHardware ?? known.targetHardware,
    hardwarePlatform: said.hardwarePlatform ?? known.hardwarePlatform,
    hardwareModel: said.hardwareModel ?? known.hardwareModel,
    boardProfile: said.boardProfile ?? known.boardProfile,
    fingerprintHash:
      fingerprint === undefined ? known.fingerprintHash : hashFingerprint(fingerprint),
    capabilities: said.capabilities ?? known.capabilities,
  };
}
