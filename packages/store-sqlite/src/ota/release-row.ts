import type { NewRelease, Release } from "@device-gateway/core/store";

type Bit = 0 | 1;
type Flag = "mandatory" | "hasImage";

/** A row of `releases`. SQLite stores flags as numbers. */
export type ReleaseRow = Omit<Release, Flag> & { readonly [Name in Flag]: Bit };

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

/** The column list of a SELECT that returns `ReleaseRow`s. */
export const releaseColumns: string = [
  "id",
  "revision",
  ...names.map((name) => `${columns[name]} AS ${name}`),
].join(", ");

/** The INSERT of a row that `toNewRow` returned. */
export const insertRelease: string = `INSERT INTO releases (revision, ${Object.values(columns).join(", ")})
  VALUES (1, ${names.map((name) => `@${name}`).join(", ")})`;

const toBit = (flag: boolean): Bit => (flag ? 1 : 0);

export const toNewRow = (release: NewRelease): Omit<ReleaseRow, "id" | "revision"> => ({
  ...release,
  mandatory: toBit(release.mandatory),
  hasImage: toBit(release.hasImage),
});

export const toRelease = (row: ReleaseRow): Release => ({
  ...row,
  mandatory: row.mandatory === 1,
  hasImage: row.hasImage === 1,
});
