import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { heartbeatOf, minuteMs, recordOf } from "../fleet.js";

/** Shapes of records that follow each other in the fleet. */
const shapes = 6;

/** The requests of a load, as files that a generator and a reference can read. */
export interface RequestFiles {
  /** A device a line: its id and its token, in an order that no index shares. */
  readonly devices: string;
  /** A body a line. */
  readonly bodies: string;
  readonly path: string;
  readonly recordsPerRequest: number;
  /** For a path that is got instead: a header beside the token, as `Name: value`. */
  readonly header?: string;
}

/** Request `n` is of device `n % devices` and has this body: no device sends a body twice. */
export const bodyOf = (n: number, devices: number, bodies: number) =>
  ((n % devices) + Math.floor(n / devices) * shapes) % bodies;

export const linesOf = (file: string): readonly string[] =>
  readFileSync(file, "utf8").trimEnd().split("\n");

/** Different records, one a body, as field gateways send them: without a time of their own. */
export function writeRecordBodies(folder: string, count: number): string {
  const file = join(folder, "records.ndjson");
  const lines = Array.from({ length: wholeShapes(count) }, (_, n) => {
    const { value } = recordOf(n, Date.UTC(2026, 0, 1) + n * minuteMs);
    return JSON.stringify(value);
  });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Records of another kind than a device's others: it sends them when its battery is out of reach. */
export function writeHeartbeatBodies(folder: string): string {
  const file = join(folder, "heartbeats.ndjson");
  const lines = Array.from({ length: shapes }, (_, n) => JSON.stringify(heartbeatOf(n, n)));
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Batches of 100 timed records, a minute apart, as a gateway sends them that was offline. */
export function writeBatchBodies(folder: string, count: number, now: number): string {
  const file = join(folder, "batches.ndjson");
  const start = now - 2 * 1_440 * minuteMs;
  const lines = Array.from({ length: wholeShapes(count) }, (_, n) => {
    const first = start + Math.floor(n / shapes) * recordsPerBatch * minuteMs;
    const records = Array.from({ length: recordsPerBatch }, (__, i) => {
      const { value } = recordOf(n % shapes, first + i * minuteMs, true);
      return value;
    });
    return JSON.stringify({ records });
  });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

export const recordsPerBatch = 100;

const wholeShapes = (count: number) => Math.ceil(count / shapes) * shapes;
