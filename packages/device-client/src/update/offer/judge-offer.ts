import type { ReleaseOffer } from "./release-offer.js";
import { compareVersions, isVersion } from "./version.js";

/** Why an offer is refused before its signature is verified. */
export type OfferRefusal =
  | "malformed_offer"
  | "wrong_target"
  | "not_newer"
  | "rollback"
  | "too_large";

export interface DeviceFacts {
  readonly targetHardware: string;
  /** The running version. */
  readonly running: string;
  /** The highest version that this device ever confirmed. */
  readonly floor: string;
  /** Size of the slot for a new image, in bytes. */
  readonly capacity: number;
}

/** Any characters except control, format and line-separating ones, which could end a signed line. */
const oneLine = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;
/** RFC 3339 with optional fractions of a second. */
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Checks the fields of an offer. Returns null if they are acceptable. This check comes before the
 * signature, because the four signed lines are unambiguous only if no field contains a newline.
 */
export function judgeOffer(offer: ReleaseOffer, device: DeviceFacts): OfferRefusal | null {
  const { version, targetHardware, releasedAt, sha256, size } = offer;
  const wellFormed =
    isVersion(version) &&
    oneLine.test(targetHardware) &&
    dateTime.test(releasedAt) &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    Number.isSafeInteger(size) &&
    size > 0;
  if (!wellFormed) return "malformed_offer";
  if (targetHardware !== device.targetHardware) return "wrong_target";
  if (compareVersions(version, device.running) <= 0) return "not_newer";
  if (compareVersions(version, device.floor) < 0) return "rollback";
  return size > device.capacity ? "too_large" : null;
}
