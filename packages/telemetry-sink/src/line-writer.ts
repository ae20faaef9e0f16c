import { createSelector, type FollowedRecord, flattenRecord } from "@device-gateway/core/store";
import { escapeFieldKey, escapeMeasurement, escapeTagValue, tagKeys } from "./escape-name.js";
import type { SeriesCap, SeriesRefusal } from "./series-cap.js";

export interface LineFormat {
  readonly measurement: string;
  /** Names of metrics, and beginnings of names such as `bms.*`. Undefined: all metrics. */
  readonly metrics: readonly string[] | undefined;
}

/** How many values were left out, by reason. */
export type DroppedValues = Readonly<Record<SeriesRefusal, number>>;

export interface LineWriter {
  /** Returns the line of a record, or null if it has no wanted metric. */
  toLine(record: FollowedRecord): string | null;
  /** Returns what the cap has left out since the last call. */
  takeDropped(): DroppedValues;
}

/** Keys that are kept escaped. A device can send other names in each record. */
const rememberedKeys = 10_000;

function toSelection(metrics: readonly string[] = ["*"]) {
  const prefixes = metrics.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const names = metrics.filter((name) => !name.endsWith("*"));
  return { names, prefixes, topLevel: false };
}

/**
 * Creates a writer of records as line protocol: numbers, booleans as 0 or 1, the tags `deviceId` and `hardware`, and
 * the time of measurement in milliseconds.
 */
export function createLineWriter(
  { measurement, metrics }: LineFormat,
  { admit }: SeriesCap,
): LineWriter {
  const isWanted = createSelector(toSelection(metrics));
  const start = escapeMeasurement(measurement);
  const keys = new Map<string, string>();
  let dropped = { device: 0, scarce: 0, total: 0 };

  function keyOf(name: string): string {
    const known = keys.get(name);
    if (known !== undefined) return known;
    const key = escapeFieldKey(name);
    if (keys.size >= rememberedKeys) keys.clear();
    keys.set(name, key);
    return key;
  }

  function fieldsOf({ deviceId, targetHardware, value }: FollowedRecord): string {
    const fields: string[] = [];
    for (const { name, value: number } of flattenRecord(value)) {
      if (!isWanted(name)) continue;
      const verdict = admit(deviceId, targetHardware, name);
      if (verdict === "admitted") fields.push(`${keyOf(name)}=${number}`);
      else dropped[verdict] += 1;
    }
    return fields.join(",");
  }

  return {
    toLine(record) {
      const fields = fieldsOf(record);
      if (fields === "") return null;
      const { deviceId, targetHardware, at } = record;
      const device = `${tagKeys.deviceId}=${escapeTagValue(deviceId)}`;
      const hardware = `${tagKeys.hardware}=${escapeTagValue(targetHardware)}`;
      return `${start},${device},${hardware} ${fields} ${at}`;
    },
    takeDropped() {
      const taken = dropped;
      dropped = { device: 0, scarce: 0, total: 0 };
      return taken;
    },
  };
}
