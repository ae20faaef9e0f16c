import { countDevices } from "./plural.js";

export const setChannel = "Set the update channel";
export const setChannelHint = "The devices are offered the releases of this channel only.";
export const channel = "Channel";
export const pinToVersion = "Pin to a version";
export const pinHint =
  "The devices are offered this version only. An empty field removes their pins.";
export const version = "Version";
export const versionExample = "Such as 1.4.0, or empty.";
export const changeConfiguration = "Change the configuration";
export const changeConfigurationHint =
  "The settings are merged into each device's own. null restores a default.";
export const settingsAsJson = "Settings (JSON)";
export const clearBlocksOfFailed = "Clear blocks after failed updates";
export const clearBlocksHint = "Releases that failed on these devices are offered to them again.";
export const revoke = "Revoke";
export const revokeHint =
  "The server rejects the requests of these devices at once. You can reinstate them later.";
export const reinstate = "Reinstate";
export const reinstateHint = "The devices may log in again.";
export const andMore = (rest: number) => ` and ${rest.toLocaleString()} more`;
export const progress = "Progress";
export const changedOf = (changed: number, of: number) =>
  `${changed.toLocaleString()} of ${countDevices(of)} changed.`;
export const mayHaveChanged = (count: number) =>
  `The result is unknown for ${countDevices(count)}, which may have changed.`;
export const leaveRunning = "The change is still running. Leave and stop it?";
export const cause = (count: number, detail: string) => `${countDevices(count)}: ${detail}`;
export const titleWithCount = (title: string, count: number) => `${title}: ${countDevices(count)}`;
export const notValid = "This is not valid. Check the text.";
export const changeDevices = (count: number) => `Change ${countDevices(count)}`;
export const cancel = "Cancel";
export const close = "Close";
export const pin = "Pin";
export const configure = "Configure";
export const clearBlocks = "Clear blocks";
export const selectedDevices = "Selected devices";
export const selected = (count: number) => `${count.toLocaleString()} selected`;
export const compare = "Compare";
export const clearSelection = "Clear selection";
