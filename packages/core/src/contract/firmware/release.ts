import { z } from "zod";
import { Printable, Timestamp } from "../parts/field.js";

/** The id of a release in a path. */
export const ReleaseId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, "The id of a release: a whole number")
  .transform(Number)
  .pipe(z.int())
  .meta({ description: "Id of the release: an integer below 2^53.", examples: ["7"] });

export const SignatureAlgorithm = z
  .enum(["ecdsa-p256-sha256", "ed25519"])
  .meta({ description: "ECDSA over P-256 with SHA-256 (signature in ASN.1 DER), or Ed25519." });
export type SignatureAlgorithm = z.output<typeof SignatureAlgorithm>;

export const ReleaseStatus = z
  .enum(["draft", "active", "paused", "withdrawn"])
  .meta({ description: "Only an active release is offered. `withdrawn` is final." });
export type ReleaseStatus = z.output<typeof ReleaseStatus>;

/** A version without leading zeros. Otherwise 1.2.3 and 1.02.3 would be two releases of one version. */
const ReleaseVersion = z
  .string()
  .regex(/^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){2}$/, "major.minor.patch, such as 1.4.0")
  .meta({ description: "major.minor.patch without leading zeros.", examples: ["1.4.0"] });

const Name = z.string().regex(/^[\w.-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 . _ -");
export const RolloutChannel = Name.meta({
  description: "The channel whose devices are offered the release.",
});
const RolloutPercent = z.int().min(0).max(100).meta({
  description:
    "Percentage of devices that are offered the release. A higher value never withdraws an offer.",
});

const signedShape = {
  version: ReleaseVersion,
  targetHardware: Printable.meta({
    description: "The hardware that the release is for.",
    examples: ["esp32:devkit-v1"],
  }),
  releasedAt: z.iso
    .datetime({ offset: true })
    .max(40)
    .meta({
      description:
        "Time of the release in ISO 8601 with a time zone. It is kept exactly as it was signed.",
      examples: ["2026-01-31T12:00:00Z"],
    }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits")
    .meta({
      description: "SHA-256 of the image.",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    }),
  size: z.int().min(1).meta({ description: "Size of the image in bytes." }),
};

const signatureShape = {
  signature: z
    .base64()
    .min(1)
    .max(256)
    .meta({
      description:
        "Signature in base64, over the four lines version, targetHardware, releasedAt and sha256.",
      examples: [
        "MEUCIQDr0sFIEaYdNbM2w7N9Qv1l8z4H6qgXk1m3s5y7A9cBDgIgZl2kP0r8tV6x4w2u1i3o5p7a9s1d3f5g7h9j1k3l",
      ],
    }),
  signingKeyId: Name.meta({
    description: "Id of the server's public key that verifies the signature.",
    examples: ["release-key-1"],
  }),
};

/** A new release (§8). It is a draft until it is activated. */
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
      description: "The lowest version from which a device may update to this release.",
    }),
    externalUrl: z
      .url({ protocol: /^https$/ })
      .max(2_000)
      .regex(/^[^\p{C}\s]+$/u, "No control characters, no spaces")
      .nullable()
      .default(null)
      .meta({
        description:
          "URL of the image on another server, for devices with the capability `externalDownload`.",
      }),
  })
  .meta({ description: "Metadata of a release. Upload the image afterwards, or set externalUrl." });
export type ReleaseRequest = z.output<typeof ReleaseRequest>;

/** The fields of a release that can be changed (§8). */
export const ReleaseChange = z
  .object({
    status: ReleaseStatus,
    rolloutPercent: RolloutPercent,
    rolloutChannel: RolloutChannel,
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, "Send at least one field to change.")
  .meta({ examples: [{ status: "active" }] });
export type ReleaseChange = z.output<typeof ReleaseChange>;

/** A release on the dashboard (§7). */
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
    description: "Whether this is the highest active release for its hardware and channel.",
  }),
});
export type DashboardRelease = z.output<typeof DashboardRelease>;

/** A release as an operator sees it. */
export const OperatorRelease = z.object({
  ...DashboardRelease.shape,
  signature: z.string(),
  externalUrl: z.string().nullable(),
  minVersion: z.string().nullable(),
  hasImage: z.boolean().meta({ description: "Whether the gateway has the image." }),
  haltedAt: Timestamp.nullable().meta({
    description:
      "When the gateway paused the release because too many updates failed. null once it is activated or withdrawn.",
  }),
  createdAt: Timestamp,
  activatedAt: Timestamp.nullable().meta({
    description: "When the release became active for the first time.",
  }),
});
export type OperatorRelease = z.output<typeof OperatorRelease>;
