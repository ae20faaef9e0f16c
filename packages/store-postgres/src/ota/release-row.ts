import type { NewRelease } from "@device-gateway/core/store";

const columns = {
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

const names = Object.keys(columns) as (keyof NewRelease)[];

/** The column list of a SELECT that returns releases. */
export const releaseColumns: string = [
  "id",
  "revision",
  ...names.map((name) => `${columns[name]} AS "${name}"`),
].join(", ");

/** The INSERT of a `NewRelease`. It inserts nothing if another release has the version. */
export const insertRelease: string = `
  INSERT INTO device_gateway.releases (revision, ${Object.values(columns).join(", ")})
  VALUES (1, ${names.map((name) => `@${name}`).join(", ")})
  ON CONFLICT (target_hardware, version) WHERE status <> 'withdrawn' OR activated_at IS NOT NULL
  DO NOTHING RETURNING id`;
