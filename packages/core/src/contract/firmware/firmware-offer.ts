import { z } from "zod";
import { DeviceId, FirmwareVersion, Timestamp } from "../parts/field.js";
import { RolloutChannel, SignatureAlgorithm } from "./release.js";

/** The state of an update (§6). */
export const OtaState = z.enum([
  "offered",
  "downloading",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
  "succeeded",
  "failed",
  "rejected",
  "rolled_back",
  "cancelled",
  "timed_out",
]);
export type OtaState = z.output<typeof OtaState>;

const noUpdate = { updateAvailable: z.literal(false), currentVersion: z.string() };

/** A release that a device is offered. The four signed fields are byte for byte as signed. */
export const FirmwareOffer = z.object({
  updateAvailable: z.literal(true),
  currentVersion: z.string(),
  version: z.string(),
  targetHardware: z.string(),
  rolloutChannel: z.string(),
  releasedAt: z
    .string()
    .meta({ description: "The time as it was signed, often without milliseconds." }),
  downloadUrl: z.url().meta({
    examples: ["https://gateway.example.com/api/v1/ota/firmware/7"],
    description:
      "Absolute URL of the image. Send the device's token only to the gateway's own origin.",
  }),
  size: z.int(),
  sha256: z.string(),
  signature: z.string(),
  signingKeyId: z.string(),
  signatureAlgorithm: SignatureAlgorithm,
  mandatory: z.boolean(),
  notes: z.string(),
});
export type FirmwareOffer = z.output<typeof FirmwareOffer>;

export const LatestFirmware = z.discriminatedUnion("updateAvailable", [
  z.object(noUpdate),
  FirmwareOffer,
]);
export type LatestFirmware = z.output<typeof LatestFirmware>;

const OfferReason = z.object({
  code: z.string().meta({ description: "Stable name of the reason." }),
  message: z.string().meta({ description: "The reason, and what to do about it." }),
  until: Timestamp.optional().meta({ description: "When the reason ends by itself." }),
});

/** Whether a device is offered a release, with every reason against it (§8). */
export const OfferExplanation = z.object({
  deviceId: DeviceId,
  releaseId: z.int(),
  offered: z.boolean(),
  reasons: z.array(OfferReason).meta({ description: "Empty if it is offered." }),
  update: z
    .object({ state: OtaState, offeredAt: Timestamp, updatedAt: Timestamp, failures: z.int() })
    .nullable()
    .meta({ description: "The device's update to this release, or null if it has none." }),
});
export type OfferExplanation = z.output<typeof OfferExplanation>;

/** The update settings of a device that an operator can change. */
export const OtaTargetRequest = z
  .object({
    otaChannel: RolloutChannel,
    pinnedVersion: FirmwareVersion.nullable().meta({
      description: "The only version that the device is offered. null removes the pin.",
    }),
    benchMode: z.boolean().meta({
      description:
        "Whether the device is on a test bench: its failed updates neither block a release on it nor count against a rollout.",
    }),
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, "Send at least one field to change.")
  .meta({ examples: [{ otaChannel: "beta" }] });
export type OtaTargetRequest = z.output<typeof OtaTargetRequest>;
