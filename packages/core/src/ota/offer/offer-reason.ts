/** The reasons why a device is not offered a release. Each says what an operator can do, if anything. */
export const offerReasons = {
  draft: "The release is a draft. Activate it.",
  paused: "The release is paused. Activate it to continue.",
  halted:
    "The gateway paused the release because too many updates failed. Find the cause, then activate it to continue.",
  withdrawn: "The release is withdrawn. Publish another version.",
  image_missing: "The release has no image. Upload the image.",
  public_url_missing:
    "The gateway does not know the URL at which devices reach it. Set the option publicUrl (bundled server: PUBLIC_URL).",
  external_download_unsupported:
    "The image is on another server, and the device does not declare the capability externalDownload. Upload the image to the gateway.",
  other_hardware:
    "The release is for other hardware than the device's. Publish one for the device's hardware.",
  other_channel:
    "The device is on another channel. Change the channel of the release or of the device.",
  not_newer: "The device already runs this version or a later one.",
  below_min_version:
    "The device runs a version below the release's minVersion. Offer it a release in between first.",
  outside_rollout: "The rollout's share does not include the device yet. Raise rolloutPercent.",
  pinned: "The device is pinned to another version. Change or remove the pin.",
  ota_disabled: "otaEnabled is off in the device's configuration. Its owner can turn it on.",
  already_succeeded:
    "The device reported that it installed this release or a later one. Its next login will show which version it runs.",
  blocked:
    "The update failed on this device too often. It is offered again at the time in `until`, or when an operator clears the device's blocks.",
  device_revoked: "The device is revoked. Reinstate it.",
  superseded: "The device is offered a later release.",
} as const;

export type OfferReasonCode = keyof typeof offerReasons;

export interface OfferReason {
  readonly code: OfferReasonCode;
  /** Epoch milliseconds. Present if the reason ends by itself. */
  readonly until?: number;
}
