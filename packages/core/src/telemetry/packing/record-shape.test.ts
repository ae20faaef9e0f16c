import { fieldHeartbeat, fieldRecord } from "@device-gateway/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../shared/json.js";
import { flattenLeaves } from "../flatten-leaves.js";
import { flattenRecord } from "../flatten-record.js";
import { createByteReader } from "./byte-reader.js";
import { createByteWriter } from "./byte-writer.js";
import { readNumber, writeNumber } from "./packed-number.js";
import { createMetricReader, toRecordShape } from "./record-shape.js";
import { skeletonOf } from "./skeleton.js";

const number = () =>
  fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.integer({ min: -99_999, max: 99_999 }).map((value) => value / 1_000),
    fc.constantFrom(0, -0, 2 ** 48, 2 ** 48 / 10, -(2 ** 31), Number.MAX_VALUE, Number.MIN_VALUE),
  );
const name = () =>
  fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "0", "a.b"));
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    number(),
    fc.boolean(),
    fc.string({ unit: "binary" }),
    fc.constantFrom(null, Number.POSITIVE_INFINITY),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name(), tie("value"), { maxKeys: 5 }),
  ),
})).value;
/** Returns a record as `JSON.parse` creates it. */
const record = () =>
  fc
    .dictionary(name(), value, { maxKeys: 6 })
    .map((made) => JSON.parse(JSON.stringify(made)) as JsonObject);

const shapeOf = (made: JsonObject) => toRecordShape(skeletonOf(made));
const packWith = (shape: JsonObject, made: JsonObject) => shapeOf(shape).pack(made);

describe("a packed record", () => {
  it("unpacks to the same JSON text, byte for byte", () => {
    fc.assert(
      fc.property(record(), (made) => {
        const shape = shapeOf(made);
        const packed = shape.pack(made);
        expect(packed && JSON.stringify(shape.unpack(packed))).toBe(JSON.stringify(made));
      }),
      { numRuns: 500 },
    );
  });

  it("yields the strings, numbers and booleans of the record with their paths", () => {
    fc.assert(
      fc.property(record(), (made) => {
        const shape = shapeOf(made);
        const leaves = flattenLeaves(made);
        expect(shape.leafNames).toEqual(leaves.map(([path]) => path));
        const values = shape.leaves(shape.pack(made) as Uint8Array);
        expect(values).toEqual(leaves.map(([, leaf]) => (leaf === 0 ? 0 : leaf)));
      }),
    );
  });

  it("is packed by a shape only if it has that skeleton", () => {
    fc.assert(
      fc.property(record(), record(), (a, b) => {
        expect(packWith(a, b) !== undefined).toBe(skeletonOf(a) === skeletonOf(b));
        expect(packWith(b, b), "after one that did not fit").toEqual(shapeOf(b).pack(b));
      }),
    );
    const [a, b] = [
      { x: 1, y: "2" },
      { y: "2", x: 1 },
    ];
    expect(packWith(a, b)).toBeUndefined();
    expect(packWith(a, { x: 1, y: 2 })).toBeUndefined();
    expect(packWith(a, { x: 1, y: "2", z: 3 })).toBeUndefined();
    expect(packWith({ x: [1, 2] }, { x: [1] })).toBeUndefined();
  });

  it("yields the wanted metrics without the others", () => {
    fc.assert(
      fc.property(record(), fc.func(fc.boolean()), (made, isWanted) => {
        const shape = shapeOf(made);
        const reader = createMetricReader(shape, isWanted);
        const values = reader.read(shape.pack(made) as Uint8Array);
        const wanted = flattenRecord(made).filter((metric) => isWanted(metric.name));
        expect(reader.names).toEqual(wanted.map((metric) => metric.name));
        expect([...values]).toEqual(wanted.map((metric) => metric.value + 0));
      }),
    );
  });

  it("takes a sixth of a field record's text", () => {
    for (const made of [fieldRecord, fieldHeartbeat] as JsonObject[]) {
      const size = shapeOf(made).pack(made)?.length ?? 0;
      expect(size).toBeLessThan(JSON.stringify(made).length / 4);
    }
    const size = shapeOf(fieldRecord).pack(fieldRecord)?.length ?? 0;
    expect(size).toBeLessThan(JSON.stringify(fieldRecord).length / 6);
  });

  it("is rejected if it ends too early", () => {
    const shape = shapeOf(fieldRecord);
    const packed = shape.pack(fieldRecord) as Uint8Array;
    expect(() => shape.unpack(packed.subarray(0, 20))).toThrow(RangeError);
  });
});

describe("a packed number", () => {
  it("unpacks to the same number", () => {
    fc.assert(
      fc.property(fc.array(number()), (numbers) => {
        const writer = createByteWriter(1);
        for (const one of numbers) writeNumber(writer, one);
        const reader = createByteReader();
        reader.open(writer.take());
        for (const one of numbers) expect(readNumber(reader) === one).toBe(true);
        expect(reader.restAsText()).toBe("");
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes two or three bytes for a usual reading", () => {
    const writer = createByteWriter(1);
    const sizes = [0, 1, 53.27, 3.321, -61, 280].map((one) => {
      writeNumber(writer, one);
      return writer.take().length;
    });
    expect(sizes).toEqual([1, 1, 3, 3, 2, 2]);
  });
});
