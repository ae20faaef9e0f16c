import {
  type JsonObject,
  type JsonValue,
  longestSameContent,
  skeletonOf,
  toRecordShape,
  toTextContent,
} from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { openConnection } from "../../database/connection.js";
import type { Database } from "../../database/database.js";
import { createDeviceStore } from "../../device/device-store.js";
import { prepareShapeRows } from "../shapes/shape-rows.js";
import { createTelemetryStore } from "../telemetry-store.js";
import { prepareDuplicateSearch } from "./duplicate-search.js";

const deviceId = "gw-1";

/** Opens a store with one device. */
async function openTelemetry() {
  const connection = await openConnection(":memory:");
  const registration = { device: sampleDevice(deviceId), event: sampleEvent(deviceId) };
  await createDeviceStore(connection, async () => {}).register(registration);
  const telemetry = createTelemetryStore(
    connection,
    async () => {},
    async () => {},
  );
  return { connection, telemetry };
}

/** Returns a search in the records of the only device, and the contents that it has unpacked. */
function watchSearch(database: Database) {
  const [device = 0] = database.prepare<[], number>("SELECT number FROM devices").pluck().all();
  const shapes = prepareShapeRows(database);
  const unpacked: Uint8Array[] = [];
  const duplicates = prepareDuplicateSearch(database, {
    ...shapes,
    unpackRecord(row) {
      unpacked.push(row.content);
      return shapes.unpackRecord(row);
    },
  });
  const search = (at: number, value: JsonObject) =>
    duplicates.search(device, sampleRecord({ at, value })).isDuplicate;
  duplicates.begin();
  return { search, unpacked };
}

const instants = Array.from({ length: 40 }, (_, n) => sampleTime + n);
const large = (n: number): JsonObject => ({ n, text: "x".repeat(5_000) });

it("a record is compared only with stored records that are short enough to have its content", async () => {
  const { connection, telemetry } = await openTelemetry();
  for (const at of instants) {
    const records = Array.from({ length: 8 }, (_, n) => sampleRecord({ at, value: large(n) }));
    await telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
  }
  const { search, unpacked } = watchSearch(connection.database);
  expect(instants.map((at) => search(at, { a: 1 }))).not.toContain(true);
  expect(unpacked).toEqual([]);
  expect(search(sampleTime, large(7))).toBe(true);
  expect(search(sampleTime, large(8))).toBe(false);
  expect(unpacked.every(({ length }) => length > 5_000)).toBe(true);
  expect(unpacked).toHaveLength(8);
  await connection.close();
});

it("a small record is not compared with stored ones whose many values take no bytes", async () => {
  const { connection, telemetry } = await openTelemetry();
  const empty = [null, [], {}];
  const hollow = (n: number): JsonObject => ({
    n,
    list: Array.from({ length: 3_000 }, (_, i) => empty[i % 3] as JsonValue),
  });
  const records = Array.from({ length: 8 }, (_, n) => sampleRecord({ value: hollow(n) }));
  await telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
  const { search, unpacked } = watchSearch(connection.database);
  expect(search(sampleTime, { n: 7 })).toBe(false);
  expect(unpacked).toEqual([]);
  const { list, n } = hollow(7);
  expect(search(sampleTime, { list, n } as JsonObject)).toBe(true);
  expect(unpacked).toHaveLength(8);
  expect(Math.max(...unpacked.map(({ length }) => length))).toBeLessThan(10);
  await connection.close();
});

it("the digest of a record is not compared with those of records with another seq", async () => {
  const { database, close } = await openConnection(":memory:");
  const prepare = vi.spyOn(database, "prepare");
  prepareDuplicateSearch(database, prepareShapeRows(database));
  const lookUps = prepare.mock.calls.filter(([sql]) => /^SELECT 1 FROM telemetry_crowds/.test(sql));
  prepare.mockRestore();
  expect(lookUps).toHaveLength(1);
  const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${lookUps[0]}`);
  expect(plan.all(1, 2, "digest", null).map(({ detail }) => detail)).toEqual([
    expect.stringContaining("(device=? AND at=? AND digest=? AND seq=?)"),
  ]);
  await close();
});

const number = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer(),
  fc.integer({ min: -9_999, max: 9_999 }).map((value) => value / 1_000),
  fc.constantFrom(0, 4, 512, 1e-10, 1e21, 5e-324, 2 ** 44, 2 ** 48),
);
const content = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    number,
    fc.boolean(),
    fc.string({ unit: "binary" }),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(fc.string(), tie("value")),
  ),
})).value;

it("no stored form of a record is longer than the longest that it is compared with", () => {
  const packedLength = (value: JsonObject) => toRecordShape(skeletonOf(value)).pack(value)?.length;
  const textLength = (value: JsonObject) => toTextContent(value).content.length;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), content), (sent) => {
      const value = JSON.parse(JSON.stringify(sent)) as JsonObject;
      expect(packedLength(value)).toBeLessThanOrEqual(2 * textLength(value));
      const timestamp = "2025-06-01T12:00:00.123456789+00:00";
      const stored = { timestamp, seq: 1 - 2 ** 53, ...value };
      const reversed = Object.fromEntries(Object.entries(stored).reverse()) as JsonObject;
      for (const form of [stored, reversed]) {
        expect(packedLength(form)).toBeLessThanOrEqual(longestSameContent(value));
        expect(textLength(form)).toBeLessThanOrEqual(longestSameContent(value));
      }
    }),
    { numRuns: 500 },
  );
});
