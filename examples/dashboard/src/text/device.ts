export const deviceId = "Device ID";
export const hardware = "Hardware";
export const firmware = "Firmware";
export const updateChannel = "Update channel";
export const reportsEvery = "Reports every";
export const yoursSince = "Yours since";
export const claimed = "Claimed";
export const notClaimed = "not claimed";
export const about = "About";
export const latestRecord = "Latest record";
export const noRecordsYet = "No records yet.";
export const noNumbersToDraw = "No numbers to draw";
export const noNumbersHint =
  "The gateway sends records without numbers. The latest one is on this page. A number or a boolean in a record becomes a chart.";
export const noRecordAccepted = "No record was accepted";
export const noRecordAcceptedHint =
  "The gateway reaches the server, but the server refuses what it sends. See the reasons.";
export const noReadingsYet = "No readings yet";
export const noRecordYetHint = (interval: string) =>
  `The gateway has not sent a record yet. Readings appear here as they arrive, about every ${interval}.`;
export const noReadingsHint = (interval: string) =>
  `Readings appear here as they arrive, about every ${interval}. Check that the gateway has power and Wi-Fi.`;
export const refusalTitles = {
  not_an_object: "A record is not an object",
  invalid_timestamp: "The timestamp is invalid",
  timestamp_out_of_range: "The timestamp is out of range",
  invalid_seq: "seq is invalid",
  too_many_metrics: "A record has too many metrics",
  too_deep: "A record is nested too deeply",
  name_too_long: "A metric's name is too long",
  malformed_json: "The body is not valid JSON",
  invalid_request: "The request is invalid",
  payload_too_large: "The body is too large",
  unsupported_media_type: "The content type is wrong",
  idempotency_key_reused: "An Idempotency-Key was used twice",
};
export const refusedTimesSince = (count: number, firstAt: string) =>
  count === 1 ? "Once" : `${count.toLocaleString()} times since ${firstAt}`;
export const refused = "Refused by the server";
export const refusedHint =
  "The gateway sent this, and the server did not store it. Its firmware must change.";
export const overview = "Overview";
export const alerts = "Alerts";
export const commands = "Commands";
export const settings = "Settings";
export const connecting = "Connecting";
export const live = "Live";
export const reconnecting = "Reconnecting";
export const deviceNotFound = "Device not found";
export const yourDevices = "Your devices";
export const claimAGateway = "Claim a gateway";
export const deviceNotFoundHint =
  "Check the ID in the address. If the gateway is yours, claim it with its code.";
export const neverSeen = "never seen";
export const lastUpdate = (updatedAt: string) => `last update ${updatedAt}`;
export const firmwareVersion = (firmwareVersion: string) => `firmware ${firmwareVersion}`;
export const seen = (ago: string) => `seen ${ago}`;
export const updateAvailable = "Update available";
export const operatorView = "operator view";
export const device = "Device";
