import type { JsonObject } from "@device-gateway/core/store";
import type { Dice } from "../dice.js";
import { metricsOf, type SentRecord } from "./plain.js";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The records of one request, the time at which it is sent, and the expected result. */
export interface Batch {
  readonly now: number;
  readonly records: readonly JsonObject[];
  readonly duplicates: number;
  readonly kept: readonly SentRecord[];
}

export interface SenderOptions {
  readonly start: number;
  readonly days: number;
  readonly intervalMs: number;
  /** Number of records measured between two requests. */
  readonly perRequest: number;
}

/** Serializes a record's content with sorted names. Equal texts mean equal contents. */
function contentOf({ timestamp: _, seq: __, ...content }: JsonObject): string {
  return JSON.stringify(content, (_name, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

const decimal = (value: number, digits: number) => Number(value.toFixed(digits));

/** Creates a record: drifting decimals, and sometimes only a heartbeat. */
function measure(dice: Dice, at: number, share: number): JsonObject {
  const day = (at % dayMs) / dayMs;
  const state = dice.pick(["idle", "charging", "discharging"]);
  if (dice.chance(0.03)) return { linkUp: false, state, uptime: at % 1_000_003 };
  const voltage = 52 + 2 * Math.sin(2 * Math.PI * day) + dice.next() / 10;
  return {
    linkUp: true,
    state,
    voltage: decimal(voltage, 2),
    current: decimal(20 * dice.next() - 10, 3),
    // A 32-bit float that was converted to a double.
    power: Math.fround(voltage * (dice.next() - 0.5)),
    bms: {
      temperature: decimal(20 + 5 * day + dice.next(), 1),
      exact: voltage / (1 + dice.next()),
      cells: Array.from({ length: dice.chance(0.05) ? 3 : 4 }, () => decimal(3 + dice.next(), 3)),
      // Later firmware sends more fields.
      ...(share > 0.6 && { cycles: Math.floor(at / dayMs), balancing: dice.chance(0.2) }),
    },
  };
}

/** Returns an equal record with another order of names or form of timestamp. */
function rewritten(dice: Dice, record: JsonObject, at: number): JsonObject {
  const names = dice.chance(0.5) ? Object.keys(record).reverse() : Object.keys(record);
  const other = Object.fromEntries(names.map((name) => [name, record[name]])) as JsonObject;
  return dice.chance(0.5) ? { ...other, timestamp: at } : other;
}

/**
 * Yields the device's records in batches. Some come hours or weeks late, some twice, some share their time
 * with others, and some have no timestamp.
 */
export function* sendAll(dice: Dice, options: SenderOptions): Generator<Batch> {
  const { start, days, intervalMs, perRequest } = options;
  const count = Math.floor((days * dayMs) / intervalMs);
  const known = new Set<string>();
  /** Some sent records, to be repeated. */
  const sent: { record: JsonObject; at: number }[] = [];
  let late: { record: JsonObject; at: number; from: number }[] = [];

  for (let done = 0; done < count; done += perRequest) {
    const now = start + Math.min(done + perRequest, count) * intervalMs;
    const out: { record: JsonObject; at: number }[] = [];
    for (let n = done; n < Math.min(done + perRequest, count); n++) {
      const at = start + n * intervalMs + (dice.chance(0.1) ? dice.int(intervalMs) : 0);
      const measured = measure(dice, at, n / count);
      const record = { timestamp: new Date(at).toISOString(), ...measured };
      if (dice.chance(0.02)) {
        const delay = dice.pick([60 * minuteMs, dayMs, 20 * dayMs]) * dice.next();
        late.push({ record, at, from: now + delay });
      } else out.push({ record, at });
      if (dice.chance(0.01)) out.push({ record: { ...record, linkUp: false }, at });
      if (dice.chance(0.01)) out.push({ record: { ...record, seq: dice.int(3) }, at });
      const again = sent[dice.int(Math.max(1, sent.length))];
      if (again !== undefined && dice.chance(0.02)) {
        out.push({ record: rewritten(dice, again.record, again.at), at: again.at });
      }
      if (dice.chance(0.1)) out.push({ record: measured, at: now });
    }
    const isLast = done + perRequest >= count;
    out.push(...late.filter(({ from }) => isLast || from <= now));
    late = late.filter(({ from }) => !isLast && from > now);

    const kept: SentRecord[] = [];
    for (const { record, at } of out) {
      const isTimed = record["timestamp"] !== undefined;
      const identity = `${at} ${String(record["seq"] ?? null)} ${contentOf(record)}`;
      if (isTimed && known.has(identity)) continue;
      if (isTimed) known.add(identity);
      kept.push({ at, value: record, metrics: metricsOf(record) });
      if (isTimed && dice.chance(0.1)) sent.push({ record, at });
    }
    const records = out.map(({ record }) => record);
    yield { now, records, duplicates: out.length - kept.length, kept };
  }
}
