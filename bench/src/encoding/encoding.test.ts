import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../record.js";
import { createReader, createWriter } from "./bytes.js";
import { type ChunkRecord, packChunk, unpackChunk } from "./chunk.js";
import { packColumns, unpackColumns } from "./columns.js";
import { readNumber, writeNumber } from "./decimals.js";
import { packRecord, unpackRecord } from "./packed-record.js";
import { follow, planOf } from "./plan.js";
import { putTogether, takeApart, toShape } from "./skeleton.js";

const double = () => fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const reading = () =>
  fc.oneof(
    double(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.integer({ min: -99_999, max: 99_999 }).map((value) => value / 1_000),
  );
const asText = (record: unknown) => JSON.stringify(record);
const record = () =>
  fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
    .map((value) => JSON.parse(asText(value)) as JsonObject);

describe("encodings", () => {
  it("give every number back", () => {
    fc.assert(
      fc.property(fc.array(reading()), (values) => {
        const writer = createWriter(1);
        for (const value of values) writeNumber(writer, value);
        const reader = createReader(writer.take());
        for (const value of values) expect(readNumber(reader) === value).toBe(true);
      }),
    );
  });

  it("give every column back, some of them alone", () => {
    const table = fc
      .integer({ min: 1, max: 8 })
      .chain((length) =>
        fc.array(fc.array(reading(), { minLength: length, maxLength: length }), { minLength: 1 }),
      );
    fc.assert(
      fc.property(table, (columns) => {
        const blob = packColumns(columns);
        const last = columns.length - 1;
        const same = (a: readonly number[] | undefined, b: Float64Array | undefined) =>
          a?.every((value, n) => value === b?.[n]);
        const all = unpackColumns(blob);
        expect(columns.every((column, n) => same(column, all[n]))).toBe(true);
        expect(same(columns[last], unpackColumns(blob, [last])[0])).toBe(true);
      }),
    );
  });

  it("give every record's text back to the byte", () => {
    fc.assert(
      fc.property(record(), (value) => {
        const { skeleton, numbers, strings } = takeApart(value);
        const shape = toShape(1, skeleton);
        const back = unpackRecord(packRecord(numbers, strings), shape.names.length);
        expect(putTogether(shape, back.numbers, back.strings)).toBe(asText(value));

        const times = { at: 1, receivedAt: 2, position: 3, identity: null };
        const rows: ChunkRecord[] = [{ ...times, numbers, strings }];
        const [row] = unpackChunk(packChunk(rows));
        expect(putTogether(shape, row?.numbers ?? [], row?.strings ?? [])).toBe(asText(value));
      }),
    );
  });

  it("follow a plan only where the skeleton is the same", () => {
    fc.assert(
      fc.property(record(), record(), (a, b) => {
        const numbers: number[] = [];
        const strings: string[] = [];
        const followed = follow(planOf(a), b, numbers, strings);
        const apart = takeApart(b);
        expect(followed).toBe(takeApart(a).skeleton === apart.skeleton);
        if (followed) expect({ ...apart, numbers, strings }).toEqual(apart);
      }),
    );
  });
});
