import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { heartbeatOf, minuteMs, recordOf } from "../fleet.js";

/** Number of record shapes, which alternate in the fleet. */
const shapes = 6;

/** The requests of a load, as files that a generator and a reference can read. */
export interface RequestFiles {
  /** File with one device per line: id and token, in an order that matches no index. */
  readonly devices: string;
  /** File with one body per line. */
  readonly bodies: string;
  readonly path: string;
  readonly recordsPerRequest: number;
  /** Makes the requests GETs with this additional header, as `Name: value`. */
  readonly header?: string;
}

/** Returns the body of request `n`, which device `n % devices` sends. No device sends a body twice. */
export const bodyOf = (n: number, devices: number, bodies: number) =>
  ((n % devices) + Math.floor(n / devices) * shapes) % bodies;

export const linesOf = (file: string): readonly string[] =>
  readFileSync(file, "utf8").trimEnd().split("\n");

/** Writes different records, one per body, without timestamps, as gateways in the field send them. */
export function writeRecordBodies(folder: string, count: number): string {
  const file = join(folder, "records.ndjson");
  const lines = Array.from({ length: wholeShapes(count) }, (_, n) => {
    return JSON.stringify(recordOf(n, Date.UTC(2026, 0, 1) + n * minuteMs));
  });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Writes the records that a device sends while its battery is out of reach. */
export function writeHeartbeatBodies(folder: string): string {
  const file = join(folder, "heartbeats.ndjson");
  const lines = Array.from({ length: shapes }, (_, n) => JSON.stringify(heartbeatOf(n, n)));
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Writes batches of 100 timed records, a minute apart, as a gateway sends them after it was offline. */
export function writeBatchBodies(folder: string, count: number, now: number): string {
  const file = join(folder, "batches.ndjson");
  const start = now - 2 * 1_440 * minuteMs;
  const lines = Array.from({ length: wholeShapes(count) }, (_, n) => {
    const first = start + Math.floor(n / shapes) * recordsPerBatch * minuteMs;
    const records = Array.from({ length: recordsPerBatch }, (__, i) =>
      recordOf(n % shapes, first + i * minuteMs, true),
    );
    return JSON.stringify({ records });
  });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

export const recordsPerBatch = 100;

const wholeShapes = (count: number) => Math.ceil(count / shapes) * shapes;
