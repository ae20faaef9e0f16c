/** Why a device is not offered a release, each with what an operator may do about it. */
export const offerReasons = {
  draft: "The release is a draft. Activate it.",
  paused: "The release is paused. Activate it to go on.",
  halted:
    "The release halted itself because too many updates failed. Find out why; activate it to go on.",
  withdrawn: "The release is withdrawn. Publish another version.",
  image_missing: "The release has no image. Upload it.",
  public_url_missing:
    "The gateway doesn't know where devices reach it. Set the option publicUrl (the bundled server: PUBLIC_URL).",
  external_download_unsupported:
    "The image lies elsewhere, and the device does not declare the capability externalDownload. Upload the image here.",
  other_hardware: "The release is for other hardware than the device's.",
  other_channel: "The device is in another channel. Change the release's channel or the device's.",
  not_newer: "The device runs this version or a later one.",
  below_min_version:
    "The device runs a version below the release's minVersion. It needs a release in between first.",
  outside_rollout: "The device is not in the rollout's share yet. Raise rolloutPercent.",
  pinned: "The device is pinned to another version. Change the pin, or remove it.",
  ota_disabled: "The device's configuration has otaEnabled off. Its owner can turn it on.",
  already_succeeded:
    "The device reported that it installed the release. Its next login shows what it runs.",
  blocked:
    "The update failed on this device too often. It is offered again later, at the time in `until`.",
  device_revoked: "The device is revoked. Reinstate it.",
  superseded: "The device is offered a later release.",
} as const;

export type OfferReasonCode = keyof typeof offerReasons;

export interface OfferReason {
  readonly code: OfferReasonCode;
  /** Epoch milliseconds, where it ends by itself. */
  readonly until?: number;
}
