import type { NewRelease } from "../ota/release/release-store.js";

/** The columns of `releases` by the names of `NewRelease`. */
export const releaseColumnNames = {
  version: "version",
  targetHardware: "target_hardware",
  releasedAt: "released_at",
  sha256: "sha256",
  size: "size",
  signature: "signature",
  signingKeyId: "signing_key_id",
  signatureAlgorithm: "signature_algorithm",
  externalUrl: "external_url",
  rolloutChannel: "rollout_channel",
  rolloutPercent: "rollout_percent",
  mandatory: "mandatory",
  notes: "notes",
  minVersion: "min_version",
  status: "status",
  hasImage: "has_image",
  haltedAt: "halted_at",
  createdAt: "created_at",
  activatedAt: "activated_at",
} as const satisfies Record<keyof NewRelease, string>;
