import { z } from "zod";
import { DeviceId, FirmwareVersion, Timestamp } from "./field.js";
import { RolloutChannel, SignatureAlgorithm } from "./release.js";

/** Where an update stands (contract §6). */
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

/** A release as a device is offered it; the four signed fields byte for byte as signed. */
export const FirmwareOffer = z.object({
  updateAvailable: z.literal(true),
  currentVersion: z.string(),
  version: z.string(),
  targetHardware: z.string(),
  rolloutChannel: z.string(),
  releasedAt: z.string().meta({ description: "As it was signed: often without milliseconds." }),
  downloadUrl: z.url().meta({
    description: "Absolute. Send the device's token to the gateway's own origin alone.",
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
  message: z.string().meta({ description: "The reason in words, and what to do about it." }),
  until: Timestamp.optional().meta({ description: "When it ends by itself." }),
});

/** Whether a device is offered a release, and every reason why not (contract §8). */
export const OfferExplanation = z.object({
  deviceId: DeviceId,
  releaseId: z.int(),
  offered: z.boolean(),
  reasons: z.array(OfferReason).meta({ description: "Empty if it is offered." }),
  update: z
    .object({ state: OtaState, offeredAt: Timestamp, updatedAt: Timestamp, failures: z.int() })
    .nullable()
    .meta({ description: "How far the device's update to this release got." }),
});
export type OfferExplanation = z.output<typeof OfferExplanation>;

/** What an operator may set of a device's updates. */
export const OtaTargetRequest = z
  .object({
    otaChannel: RolloutChannel,
    pinnedVersion: FirmwareVersion.nullable().meta({
      description: "The only version that the device is offered; null: no pin.",
    }),
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, "Nothing to change");
export type OtaTargetRequest = z.output<typeof OtaTargetRequest>;
