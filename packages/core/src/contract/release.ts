import { z } from "zod";
import { Printable, Timestamp } from "./field.js";

/** A release in a path. */
export const ReleaseId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, "The id of a release")
  .transform(Number)
  .pipe(z.int())
  .meta({ description: "Id of the release: an integer below 2^53." });

export const SignatureAlgorithm = z
  .enum(["ecdsa-p256-sha256", "ed25519"])
  .meta({ description: "ECDSA over P-256 with SHA-256 (signature in ASN.1 DER), or Ed25519." });
export type SignatureAlgorithm = z.output<typeof SignatureAlgorithm>;

export const ReleaseStatus = z
  .enum(["draft", "active", "paused", "withdrawn"])
  .meta({ description: "Only an active release is offered. Withdrawn is for good." });
export type ReleaseStatus = z.output<typeof ReleaseStatus>;

/** A version in its only spelling: 1.2.3 and 1.02.3 would be two releases of one version. */
const ReleaseVersion = z
  .string()
  .regex(/^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){2}$/, "major.minor.patch, such as 1.4.0")
  .meta({ description: "major.minor.patch without leading zeros.", examples: ["1.4.0"] });

const Name = z.string().regex(/^[\w.-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 . _ -");
export const RolloutChannel = Name.meta({ description: "Devices on this channel are offered it." });
const RolloutPercent = z
  .int()
  .min(0)
  .max(100)
  .meta({ description: "Share of devices that are offered it. Raising it takes no offer away." });

const signedShape = {
  version: ReleaseVersion,
  targetHardware: Printable.meta({ description: "The kind of hardware that it is for." }),
  releasedAt: z.iso
    .datetime({ offset: true })
    .max(40)
    .meta({
      description: "When it was released: ISO 8601 with a zone, kept as it was signed.",
      examples: ["2026-01-31T12:00:00Z"],
    }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits")
    .meta({ description: "SHA-256 of the image." }),
  size: z.int().min(1).meta({ description: "Bytes of the image." }),
};

const signatureShape = {
  signature: z.base64().min(1).max(256).meta({
    description: "Base64, over the four lines version, targetHardware, releasedAt and sha256.",
  }),
  signingKeyId: Name.meta({ description: "Which of the server's public keys verifies it." }),
};

/** A new release (contract §8): a draft until it is activated. */
export const ReleaseRequest = z
  .object({
    ...signedShape,
    ...signatureShape,
    signatureAlgorithm: SignatureAlgorithm.default("ecdsa-p256-sha256"),
    rolloutChannel: RolloutChannel.default("stable"),
    rolloutPercent: RolloutPercent.default(100),
    mandatory: z.boolean().default(false),
    notes: z.string().max(2_000).default(""),
    minVersion: ReleaseVersion.nullable().default(null).meta({
      description: "What a device must run, at least, to be offered it: a stepping stone.",
    }),
    externalUrl: z
      .url({ protocol: /^https$/ })
      .max(2_000)
      .regex(/^[^\p{C}\s]+$/u, "No control characters, no spaces")
      .nullable()
      .default(null)
      .meta({
        description: "Where devices with the capability `externalDownload` find the image.",
      }),
  })
  .meta({ description: "Metadata of a release. Its image comes after it, or from externalUrl." });
export type ReleaseRequest = z.output<typeof ReleaseRequest>;

/** What may change of a release (contract §8). */
export const ReleaseChange = z
  .object({
    status: z.enum(["active", "paused", "withdrawn"]),
    rolloutPercent: RolloutPercent,
    rolloutChannel: RolloutChannel,
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, "Nothing to change");
export type ReleaseChange = z.output<typeof ReleaseChange>;

/** A release on the dashboard (contract §7). */
export const DashboardRelease = z.object({
  id: z.int(),
  ...signedShape,
  signingKeyId: z.string(),
  signatureAlgorithm: SignatureAlgorithm,
  rolloutChannel: z.string(),
  rolloutPercent: z.int(),
  mandatory: z.boolean(),
  notes: z.string(),
  status: ReleaseStatus,
  isLatest: z.boolean().meta({
    description: "Whether it is the highest active one for its hardware and channel.",
  }),
});
export type DashboardRelease = z.output<typeof DashboardRelease>;

/** A release as an operator sees it. */
export const OperatorRelease = z.object({
  ...DashboardRelease.shape,
  signature: z.string(),
  externalUrl: z.string().nullable(),
  minVersion: z.string().nullable(),
  hasImage: z.boolean().meta({ description: "Whether its image is here." }),
  haltedAt: Timestamp.nullable().meta({ description: "When the fleet's guard paused it." }),
  createdAt: Timestamp,
  activatedAt: Timestamp.nullable().meta({ description: "When it first became active." }),
});
export type OperatorRelease = z.output<typeof OperatorRelease>;
