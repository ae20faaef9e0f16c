import * as chartsText from "../text/charts.js";

export type RangeName = "1h" | "6h" | "24h" | "7d" | "30d" | "1y";

const hour = 3600;
export const rangeSeconds: Readonly<Record<RangeName, number>> = {
  "1h": hour,
  "6h": 6 * hour,
  "24h": 24 * hour,
  "7d": 7 * 24 * hour,
  "30d": 30 * 24 * hour,
  "1y": 365 * 24 * hour,
};

export const rangeNames: readonly (readonly [RangeName, string])[] = [
  ["1h", chartsText.hour],
  ["6h", chartsText.sixHours],
  ["24h", chartsText.day],
  ["7d", chartsText.week],
  ["30d", chartsText.month],
  ["1y", chartsText.year],
];

/** A range that the user zoomed into, in epoch seconds. */
export interface Zoom {
  readonly from: number;
  readonly to: number;
}
