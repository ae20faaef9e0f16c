import { counted } from "./plural.js";

export const isOffered = "This device is offered this release.";
export const isNotOffered = "This device is not offered this release:";
export const isOfferedUntil = (until: string) => `Until ${until}.`;
export const stateAndOfferTime = (state: string, offeredAt: string) =>
  `${state}, offered ${offeredAt}.`;
export const deviceRejected = (version: string) => `The device rejected ${version}.`;
export const updateFailed = (version: string) => `The update to ${version} failed.`;
export const failureRejected = "rejected";
export const failureFailed = "failed";
export const failureRolledBack = "rolled back";
export const failureTimedOut = "timed out";
export const updateTimedOut = (version: string) => `The update to ${version} timed out.`;
export const deviceRolledBack = (version: string) => `The device rolled back from ${version}.`;
export const installed = "installed";
export const latest = "latest";
export const whyOffered = "Is this release offered?";
export const runsLatest = "This device runs the latest version.";
export const updatesOff = "Updates are turned off in this device's settings.";
export const updateOffered = "The device is offered an update when it checks for one.";
export const noUpdateOffered =
  "No update is offered now: no release is newer than the installed version, or the rollout does not include this device yet.";
export const releases = "Releases";
export const noReleasesYet = "No releases yet";
export const noReleasesHint = (targetHardware: string, rolloutChannel: string) =>
  `No firmware is published for ${targetHardware} in the channel ${rolloutChannel}.`;
export const reportedWithTelemetry = "reported with telemetry";
export const reportedByTheGateway = "reported by the gateway";
export const responseToUpdateNow = "response to “Update now”";
export const recordedByTheServer = "recorded by the server";
export const imageSent = "Image sent";
export const noUpdatesYet = "No updates yet";
export const noUpdatesHint = "Each step of a firmware update appears here.";
export const updateRequested = (interval: string) =>
  `Update requested. The gateway receives the request with its next record, within ${interval}.`;
export const gatewayReported = (report: string) => `The gateway reported: ${report}.`;
export const updateNowHint =
  "The gateway checks for updates by itself. “Update now” makes it check with its next record.";
export const installedVersion = "Installed version";
export const updateAvailable = "update available";
export const versionNotOffered = (version: string) => `${version} not offered`;
export const versionFailed = (version: string, failure: string) => `${version} ${failure}`;
export const noReleaseForHardware = "no release for this hardware";
export const upToDate = "up to date";
export const updateNow = "Update now";
export const updateHistory = "Update history";
export const commandCopied = "Command copied.";
export const signHint =
  "Run this on the machine with your P-256 key, then paste the output below. For Ed25519, write the four lines to a file and use openssl pkeyutl -sign -rawin.";
export const copyCommand = "Copy command";
export const unexpectedStatus = (status: number) =>
  `The server returned status ${status}. Try again.`;
export const uploadFailed = "The upload failed. Check your connection and try again.";
export const checkADevice = "Check a device";
export const deviceId = "Device ID";
export const check = "Check";
export const imageMissing = "The image is missing";
export const uploadImage = "Upload the signed image";
export const upload = "Upload";
export const inProgress = "In progress";
export const progress = "Progress";
export const notOfferedYet =
  "No device has been offered this release yet. Devices check for updates by themselves.";
export const offeredThisRelease = (all: number) =>
  `${counted(all, { one: "device was", other: "devices were" })} offered this release.`;
export const offeredToShare = (percent: number) => `Offered to ${percent}% of devices.`;
export const rollout = "Rollout";
export const shareOfDevices = "Share of devices";
export const shareHint = "Devices keep their offer when you raise the share.";
export const saveShare = "Save share";
