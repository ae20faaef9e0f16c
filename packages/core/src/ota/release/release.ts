import type { ReleaseStatus, SignatureAlgorithm } from "../../contract/index.js";

/** A signed firmware image for one kind of hardware. Times are epoch milliseconds. */
export interface Release {
  /** Ascending in the order of creation, never reused, below 2^53. */
  readonly id: number;
  /** Raised by every change. */
  readonly revision: number;
  /** The first of the four signed lines, kept as signed, as the next three. */
  readonly version: string;
  readonly targetHardware: string;
  readonly releasedAt: string;
  /** Of the image, in lower-case hexadecimal. */
  readonly sha256: string;
  /** Bytes of the image. */
  readonly size: number;
  /** Base64. */
  readonly signature: string;
  readonly signingKeyId: string;
  readonly signatureAlgorithm: SignatureAlgorithm;
  /** Where devices that can download from elsewhere find the image; null: here alone. */
  readonly externalUrl: string | null;
  readonly rolloutChannel: string;
  /** The share of devices that are offered it, 0 to 100. */
  readonly rolloutPercent: number;
  readonly mandatory: boolean;
  readonly notes: string;
  /** What a device must run to be offered it; null: anything. */
  readonly minVersion: string | null;
  readonly status: ReleaseStatus;
  /** Whether the image lies in the artifact store. */
  readonly hasImage: boolean;
  /** When the fleet's guard paused it; null: it did not, or somebody activated it again. */
  readonly haltedAt: number | null;
  readonly createdAt: number;
  /** When it first became active; null: never. */
  readonly activatedAt: number | null;
}

/** A draft that was given up frees its version; what was ever active keeps it for good. */
export function holdsItsVersion({ status, activatedAt }: Release): boolean {
  return status !== "withdrawn" || activatedAt !== null;
}
