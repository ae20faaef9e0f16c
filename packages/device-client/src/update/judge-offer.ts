import type { ReleaseOffer } from "./release-offer.js";
import { compareVersions, isVersion } from "./version.js";

/** Why an offer is not taken, before its signature is looked at. */
export type OfferRefusal =
  | "malformed_offer"
  | "wrong_target"
  | "not_newer"
  | "rollback"
  | "too_large";

export interface DeviceFacts {
  readonly targetHardware: string;
  /** The version that runs. */
  readonly running: string;
  /** The highest version that was ever confirmed on this device. */
  readonly floor: string;
  /** Bytes that the slot for a new image holds. */
  readonly capacity: number;
}

/** Printable ASCII and more, but nothing that could end a line of the signed text. */
const oneLine = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;
/** RFC 3339, with or without fractions of a second. */
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Looks at the fields of an offer; null when nothing speaks against it. The signature is looked
 * at only after: the four lines mean one thing only when no field holds a newline.
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
