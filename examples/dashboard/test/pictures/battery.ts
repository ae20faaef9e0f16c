const cells = 16;
const minutes = 24 * 60;
/** Shorter than an outage. */
const stepMinutes = 4;

/** How an operator describes the metrics of the battery. */
export const batteryMetrics = {
  soc: { displayName: "Charge", unit: "%", decimals: 0, min: 0, max: 100 },
  power: { displayName: "Power", unit: "W", decimals: 0 },
  "cells.*.voltage": { displayName: "Cell *", unit: "V", decimals: 3 },
};

/** Returns a day of records of a battery that discharges at night and charges by day. */
export function makeBatteryRecords(now: number) {
  return Array.from({ length: minutes / stepMinutes }, (_, step) => {
    const day = (2 * Math.PI * step * stepMinutes) / minutes;
    const charge = 0.55 + 0.4 * Math.sin(day);
    return {
      timestamp: new Date(now - (minutes - step * stepMinutes) * 60_000).toISOString(),
      soc: Math.round(charge * 1_000) / 10,
      power: Math.round(900 * Math.cos(day)),
      cells: Array.from({ length: cells }, (_, cell) => ({
        voltage: Number(
          (3.21 + 0.13 * charge + (cell / 1_400) * Math.sin(day * 2 + cell)).toFixed(3),
        ),
      })),
    };
  });
}
