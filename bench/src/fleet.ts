import { fieldHeartbeat, fieldRecord } from "@device-gateway/testing";
import type { JsonObject } from "./record.js";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Numbers of battery cells in the field. Each number makes its own record shape. */
const cellCounts = [16, 16, 16, 14, 8, 20];

const mix = (a: number, b: number) => {
  let mixed = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
};

const round = (value: number, digits: number) => Number(value.toFixed(digits));

/** In some hours the battery is out of reach, and the gateway sends heartbeats. */
const linkIsDown = (device: number, at: number) => mix(device, Math.floor(at / hourMs)) < 0.04;

/**
 * Returns a gateway's record at a time: values that drift with the hour and vary in the last digit,
 * growing counters, and constants of the device. The same call returns the same record.
 */
export function recordOf(device: number, at: number, timed = false): JsonObject {
  const minute = Math.floor(at / minuteMs);
  const body = linkIsDown(device, at) ? heartbeatOf(device, minute) : readingOf(device, minute);
  return timed ? { timestamp: at, ...body } : body;
}

function commonOf(device: number, minute: number) {
  const address = `a4:c1:38:${[16, 8, 0].map((bits) => ((device >> bits) & 255).toString(16).padStart(2, "0")).join(":")}`;
  const upMs = (minute % 43_200) * minuteMs + Math.floor(mix(device, minute) * 900);
  return {
    capturedAtMs: upMs,
    parser: {
      ...fieldRecord.parser,
      lastFrameAtMs: upMs - 140 - Math.floor(mix(minute, device) * 800),
      bytesReceived: 883_211 + (minute % 43_200) * 3_001,
      parseErrors: Math.floor(minute / 5_000) % 4,
    },
    ota: { ...fieldRecord.ota, lastCheckAtMs: Math.max(0, upMs - (upMs % hourMs)) },
    ble: {
      ...fieldRecord.ble,
      address,
      advertisedName: `BMS-${device % 97}`,
      rssi: -55 - Math.floor(mix(device, minute ^ 77) * 12),
      framesDecoded: 4_411 + (minute % 43_200) * 15,
      lastFrameAtMs: upMs - 140,
    },
  };
}

function readingOf(device: number, minute: number): JsonObject {
  const base = mix(device, 7);
  const wave = Math.sin((minute / 1_440 + base) * 2 * Math.PI);
  const flicker = (slot: number) => mix(device * 131 + slot, minute) - 0.5;
  const soc = Math.round(60 + 30 * wave);
  const current = round(8 * Math.cos((minute / 1_440 + base) * 2 * Math.PI) + flicker(1) / 2, 2);
  const cell = 3.2 + soc / 600;
  const cells = Array.from({ length: cellCounts[device % cellCounts.length] ?? 16 }, (_, n) => ({
    cell: n + 1,
    voltage: round(cell + ((n * 7) % 16) / 1_000 + flicker(10 + n) / 250, 3),
  }));
  const voltages = cells.map(({ voltage }) => voltage);
  const [low, high] = [Math.min(...voltages), Math.max(...voltages)];
  const sum = voltages.reduce((total, voltage) => total + voltage, 0);
  const voltage = round(sum, 2);
  const { capturedAtMs, parser, ota, ble } = commonOf(device, minute);
  return {
    bmsLinkUp: true,
    voltage,
    current,
    soc,
    power: round(voltage * current, 2),
    temperature1: round(21 + 4 * wave + flicker(2) / 5, 1),
    temperature2: round(21.6 + 4 * wave + flicker(3) / 5, 1),
    capturedAtMs,
    source: "ble",
    bms: {
      ...fieldRecord.bms,
      mosfetTemperature: round(30 + 5 * wave + flicker(4) / 5, 1),
      minCellVoltage: low,
      maxCellVoltage: high,
      avgCellVoltage: round(sum / voltages.length, 3),
      deltaCellVoltage: round(high - low, 3),
      minVoltageCell: voltages.indexOf(low) + 1,
      maxVoltageCell: voltages.indexOf(high) + 1,
      cycleCount: 37 + (Math.floor(minute / 2_000) % 900),
      remainingCapacityAh: round(2.8 * soc, 1),
      charging: current > 0,
      discharging: current < 0,
      balancing: flicker(5) > 0.3,
    },
    parser,
    ota,
    ble,
    cellVoltages: cells,
  };
}

/** Returns the record of a gateway whose battery is out of reach. */
export function heartbeatOf(device: number, minute: number): JsonObject {
  const { parser, ota, ble } = commonOf(device, minute);
  return { ...fieldHeartbeat, parser, ota, ble: { ...ble, state: "scanning", rssi: -128 } };
}
