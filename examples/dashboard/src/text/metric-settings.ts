export const title = (hardware: string) => `Metrics of ${hardware}`;
export const hint =
  "For operators. Charts, tables and lists show the metrics of all devices with this hardware in this way.";
export const metric = "Metric";
export const fields = {
  displayName: "Display name",
  unit: "Unit",
  decimals: "Decimals",
  min: "Lowest expected value",
  max: "Highest expected value",
};
export const placeholders = {
  displayName: "as the device sends it",
  unit: "none",
  decimals: "as needed",
  min: "from the readings",
  max: "from the readings",
};
export const displayNameHint = "A * becomes the position in the list, counted from 1.";
export const rangeHint = "Charts show at least this range.";
export const save = "Save metric";
export const saved = "Saved. Open charts show it after a reload.";
export const nothingYet = "The device has sent no metric yet.";
