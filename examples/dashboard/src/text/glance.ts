export const releaseFor = (version: string, targetHardware: string) =>
  `${version} for ${targetHardware}`;
export const pausedAutomatically = "paused automatically";
export const paused = "paused";
export const shareOfDevices = (rolloutPercent: number) => `${rolloutPercent}% of devices`;
export const rolloutCounts = (good: string, open: string, bad: string) =>
  `${good} updated · ${open} in progress · ${bad} failed`;
export const rollouts = "Rollouts";
export const noRollouts = "No release is being rolled out.";
export const recordsRefused = "Records refused";
export const updateFailed = "Update failed";
export const offline = "Offline";
export const revoked = "Revoked";
export const updateAvailable = "Update available";
export const online = "Online";
export const andMore = (rest: number) => `and ${rest.toLocaleString()} more`;
export const fleetAtAGlance = "Fleet at a glance";
export const state = "State";
export const firmware = "Firmware";
export const hardware = "Hardware";
export const pause = "Pause";
export const pauseNamed = (version: string, hardware: string) => `Pause ${version} for ${hardware}`;
