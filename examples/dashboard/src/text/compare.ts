import { countDevices } from "./plural.js";

export const compareDevices = "Compare devices";
export const nothingToCompare = "Nothing to compare";
export const yourDevices = "Your devices";
export const nothingToCompareHint = (most: number) =>
  `Select two to ${countDevices(most)} in the list, then choose Compare.`;
export const compareCount = (count: number) => `Compare ${countDevices(count)}`;
export const trends = "Trends";
export const resetZoom = "Reset zoom";
export const range = "Range";
export const metric = "Metric";
export const failureOf = (deviceId: string, message: string) => `${deviceId}: ${message}`;
export const nothingToDraw = "No numbers to compare";
export const nothingToDrawHint =
  "The latest records of these devices contain no numbers, or the devices have sent none yet.";
