import { countDevices } from "./plural.js";

export const revoked = "Revoked";
export const statusUnknown = "Status unknown";
export const online = "Online";
export const offline = "Offline";
export const never = "never";
export const badgeRefused = "records refused";
export const badgeFailed = (version: string) => `${version} failed`;
export const selectDevice = (name: string) => `Select ${name}`;
export const anyUpdate = "update";
export const updateTo = (version: string) => `${version} available`;
export const selectAllShown = "Select all shown devices";
export const device = "Device";
export const status = "Status";
export const firmware = "Firmware";
export const lastSeen = "Last seen";
export const all = "All";
export const recordsRefused = "Records refused";
export const updateFailed = "Update failed";
export const updateAvailable = "Update available";
export const searchLabel = "Search by name, ID, hardware or firmware";
export const searchPlaceholder = "Name, ID, hardware, firmware";
export const show = "Show";
export const hardware = "Hardware";
export const allHardware = "All hardware";
export const firmwareVersion = "Firmware version";
export const allVersions = "All versions";
export const sortOrder = "Sort order";
export const sortByName = "Sort by name";
export const sortByNameDown = "Sort by name, reverse";
export const sortByUrgency = "Sort by urgency";
export const sortByUrgencyDown = "Sort by urgency, reverse";
export const sortByFirmware = "Sort by firmware";
export const sortByFirmwareDown = "Sort by firmware, reverse";
export const sortByLastSeen = "Sort by last seen";
export const sortByLongestSilent = "Sort by longest silent";
export const noGatewaysYet = "No gateways yet";
export const noGatewaysHint =
  "Power the gateway and set up its Wi-Fi. Once it has registered, claim it with the code on its label. Its readings then appear here.";
export const noMatchingDevices = "No matching devices";
export const showAllDevices = "Show all devices";
export const filterHides = (hidden: number) => `The filter hides ${countDevices(hidden)}.`;
export const tryPartOfName = "Try part of the device's name or ID.";
export const noDeviceInState = "No device is in this state.";
export const title = "Devices";
export const newGateway = "New gateway";
export const claimAGateway = "Claim a gateway";
export const listIsFrom = (readAt: string) =>
  `The list is from ${readAt}. It may have changed since.`;
export const yourDevices = "Your devices";
export const loadingMore = "Loading more…";
export const shownOf = (shown: number, of: number) =>
  `${shown.toLocaleString()} of ${countDevices(of)}`;
export const countOf = (count: number) => countDevices(count);
export const onlyFirstShown = (count: number) =>
  `Only the first ${countDevices(count)} are shown. To open another one, add its ID to the address: /devices/its-id.`;
export const latestValue = (metric: string, value: string) => `${metric} ${value}`;
