import type { SecurityEvent } from "../../audit/security-event.js";
import type { ReleaseStatus, SignatureAlgorithm } from "../../contract/index.js";
import type { RolloutTally } from "./judge-rollout.js";

/** A signed firmware image for one kind of hardware. Times are epoch milliseconds. */
export interface Release {
  /** Ascends in the order of creation, is never reused, below 2^53. */
  readonly id: number;
  /** Each change raises it. */
  readonly revision: number;
  /** The first of the four signed lines. Like the other three, it is kept as it was signed. */
  readonly version: string;
  readonly targetHardware: string;
  readonly releasedAt: string;
  /** SHA-256 of the image in lower-case hexadecimal. */
  readonly sha256: string;
  /** Size of the image in bytes. */
  readonly size: number;
  /** Base64. */
  readonly signature: string;
  readonly signingKeyId: string;
  readonly signatureAlgorithm: SignatureAlgorithm;
  /** URL of the image for devices that can download from another server. Null if only the gateway has it. */
  readonly externalUrl: string | null;
  readonly rolloutChannel: string;
  /** Percentage of devices that are offered the release, 0 to 100. */
  readonly rolloutPercent: number;
  readonly mandatory: boolean;
  readonly notes: string;
  /** The lowest version from which a device may update to the release. Null for any version. */
  readonly minVersion: string | null;
  readonly status: ReleaseStatus;
  /** Whether the artifact store has the image. */
  readonly hasImage: boolean;
  /**
   * When the gateway paused the release because too many updates failed. Null if it did not, or if it was activated
   * again.
   */
  readonly haltedAt: number | null;
  readonly createdAt: number;
  /** When the release became active for the first time. Null if it never did. */
  readonly activatedAt: number | null;
}

/**
 * Returns whether a release keeps its version reserved. A withdrawn draft frees it; a release that was ever active
 * never does.
 *
 * @example
 * const isTaken = releases.some((other) => other.version === version && holdsItsVersion(other));
 */
export function holdsItsVersion({ status, activatedAt }: Release): boolean {
  return status !== "withdrawn" || activatedAt !== null;
}

/** Returns whether the gateway has paused a release and no operator has activated or withdrawn it since. */
export const isHalted = ({ status, haltedAt }: Release): boolean =>
  status === "paused" && haltedAt !== null;

/**
 * Returns the release as the gateway pauses it at `at` because too many updates failed.
 *
 * @example
 * if (step.halt !== null) await writeRelease(haltRelease(release, step.halt.at)); // a step of `advanceUpdate`
 */
export const haltRelease = (release: Release, at: number): Release => ({
  ...release,
  status: "paused",
  haltedAt: at,
  revision: release.revision + 1,
});

/**
 * Returns the event of a release that the gateway pauses because of this tally.
 *
 * @example
 * if (failsTooOften(tally, toleratedShare)) await writeEvent(toHaltEvent(release, tally, now));
 */
export const toHaltEvent = (
  release: Release,
  { succeeded, failed }: RolloutTally,
  at: number,
): SecurityEvent => ({
  kind: "release.halted",
  at,
  deviceId: "",
  actor: "gateway",
  requestId: null,
  clientAddress: null,
  details: {
    releaseId: release.id,
    version: release.version,
    targetHardware: release.targetHardware,
    succeeded,
    failed,
  },
});
