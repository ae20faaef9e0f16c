import type { JsonObject } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson, awkwardText } from "../samples/awkward-values.js";
import {
  readRecordValues,
  registerSampleDevice,
  sampleAppendOnce,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
const receivedAt = sampleTime + 1_000;

/** Cases for `TelemetryStore.append`: which records it stores. */
export const appendCases: readonly StoreCase[] = [
  toCase("append: accepts an empty list of records", async ([a]) => {
    await registerSampleDevice(a, deviceId);
    const outcome = await a.telemetry.append({ deviceId, receivedAt, records: [], once: null });
    expect(outcome).toEqual({ kind: "appended", verdicts: [] });
  }),

  toCase("append: records are read back as sent and in order", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const records = [
      sampleRecord({ value: awkwardJson }),
      sampleRecord({ at: 0, seq: 0, isTimed: false, value: { [awkwardText]: awkwardText } }),
      sampleRecord({ at: -1, seq: Number.MAX_SAFE_INTEGER, value: {} }),
      sampleRecord({
        at: 8_640_000_000_000_000,
        seq: -1,
        value: { ["漢".repeat(50_000)]: "漢".repeat(50_000) },
      }),
      sampleRecord({ seq: 2, value: JSON.parse('{"10":-0.5,"2":[0.1,3e-320],"b":{}}') }),
    ];
    const outcome = await a.telemetry.append({ deviceId, receivedAt, records, once: null });
    expect(outcome).toEqual({ kind: "appended", verdicts: records.map(() => "stored") });
    const position = expect.any(Number);
    const stored = await b.telemetry.read({ deviceId, after: 0, limit: 10 });
    expect(stored).toEqual(
      records.map(({ at, seq, value }) => ({ position, at, receivedAt, seq, value })),
    );
    // Compares the text, because `toEqual` ignores the order of names and treats `__proto__` specially.
    expect(stored.map(({ value }) => JSON.stringify(value))).toEqual(
      records.map(({ value }) => JSON.stringify(value)),
    );
  }),

  toCase("append: the same device, time, seq and content is a duplicate", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const [first, second] = [sampleRecord(), sampleRecord({ seq: 1 })];
    const append = (store: typeof a, records: (typeof first)[]) =>
      store.telemetry.append({ deviceId, receivedAt, records, once: null });
    expect(await append(a, [first])).toMatchObject({ verdicts: ["stored"] });
    expect(await append(b, [first])).toMatchObject({ verdicts: ["duplicate"] });
    const verdicts = ["stored", "duplicate", "duplicate"];
    expect(await append(b, [second, first, second])).toMatchObject({ verdicts });
    expect(await readRecordValues(a, deviceId)).toHaveLength(2);
  }),

  toCase("append: content is compared by names and values, not by its text", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const value = { timestamp: sampleTime, a: 1, b: { c: [0, "x"], d: null } };
    const verdictOn = async (store: typeof a, text: string) => {
      const records = [sampleRecord({ value: JSON.parse(text) as JsonObject })];
      const outcome = await store.telemetry.append({ deviceId, receivedAt, records, once: null });
      return outcome.kind === "appended" ? outcome.verdicts[0] : outcome.kind;
    };
    expect(await verdictOn(a, JSON.stringify(value))).toBe("stored");
    for (const same of [
      '{"b":{"d":null,"c":[-0,"x"]},"a":1.0e0,"timestamp":"2025-06-01T12:00:00Z"}',
      '{"b":{"d":1e999,"c":[0,"\\u0078"]},"a":1,"timestamp":1748779200000,"seq":null}',
    ]) {
      expect(await verdictOn(b, same)).toBe("duplicate");
    }
    for (const other of [
      '{"b":{"d":null,"c":["x",0]},"a":1}',
      '{"b":{"d":null,"c":[0,"x"],"seq":1},"a":1}',
      '{"b":{"c":[0,"x"]},"a":1}',
    ]) {
      expect(await verdictOn(a, other)).toBe("stored");
    }
    const [, ...others] = await readRecordValues(b, deviceId);
    expect(others).toHaveLength(3);
  }),

  toCase("append: a repeat is recognised however long the record is", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const listOf = <Item>(item: Item) => Array.from({ length: 2_000 }, () => item);
    const values: readonly JsonObject[] = [
      {},
      { text: "x".repeat(100_000) },
      { text: "\u0001\ud800漢\\".repeat(10_000) },
      { numbers: listOf(1e-10) },
      { numbers: listOf(4), flags: listOf(true), nothing: listOf(null) },
      // A store may keep a record of so many names in another form.
      Object.fromEntries(listOf(1).map((one, n) => [`name-${n}-${"x".repeat(20)}`, one])),
      Object.fromEntries(listOf("").map((empty, n) => [`name-${n}-${"x".repeat(20)}`, empty])),
    ];
    const append = async (store: typeof a, changed: (value: JsonObject) => JsonObject) => {
      const records = values.map((value, n) =>
        sampleRecord({ at: sampleTime + n, value: changed(value) }),
      );
      const outcome = await store.telemetry.append({ deviceId, receivedAt, records, once: null });
      return outcome.kind === "appended" ? outcome.verdicts : [];
    };
    const written = { timestamp: "2025-06-01T12:00:00.000000000+00:00", seq: null };
    const reverse = (value: JsonObject) =>
      Object.fromEntries(Object.entries({ ...value, ...written }).reverse());
    expect(await append(a, reverse)).toEqual(values.map(() => "stored"));
    expect(await append(b, (value) => value)).toEqual(values.map(() => "duplicate"));
    expect(await append(a, (value) => ({ ...value, new: 1 }))).toEqual(values.map(() => "stored"));
    const extended = (value: JsonObject) => reverse({ new: 1, ...value });
    expect(await append(b, extended)).toEqual(values.map(() => "duplicate"));
  }),

  toCase("append: stores each of many records of one instant exactly once", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const records = Array.from({ length: 60 }, (_, n) =>
      sampleRecord({ seq: n % 4 === 0 ? n : null, isTimed: n % 5 > 0, value: { n } }),
    );
    const append = async (store: typeof a) => {
      const outcome = await store.telemetry.append({ deviceId, receivedAt, records, once: null });
      return outcome.kind === "appended" ? outcome.verdicts : [];
    };
    expect(await append(a)).toEqual(records.map(() => "stored"));
    const again = records.map(({ isTimed }) => (isTimed ? "duplicate" : "stored"));
    expect(await append(b)).toEqual(again);
    expect(await append(a)).toEqual(again);
    expect(await readRecordValues(b, deviceId)).toHaveLength(60 + 12 + 12);
  }),

  toCase(
    "append: a record that differs in device, time, seq or content is stored",
    async ([a, b]) => {
      const records = [
        sampleRecord(),
        sampleRecord({ value: { voltage: 12.6 } }),
        sampleRecord({ seq: 0 }),
        sampleRecord({ seq: 1 }),
        sampleRecord({ seq: 1, value: { voltage: 12.6 } }),
        sampleRecord({ at: sampleTime + 1 }),
        sampleRecord({ value: { VOLTAGE: 12.5 } }),
        sampleRecord({ value: { voltage: 12.5, current: null } }),
        sampleRecord({ value: { voltage: "12.5" } }),
        sampleRecord({ value: { voltage: true } }),
        sampleRecord({ value: { voltage: 1 } }),
        sampleRecord({ value: { voltage: [12.5] } }),
        sampleRecord({ value: { voltage: { "0": 12.5 } } }),
        sampleRecord({ value: { voltage: null } }),
        sampleRecord({ value: {} }),
      ];
      const verdicts = records.map(() => "stored");
      for (const other of ["gw-1", "gw-2", "GW-1"]) {
        await registerSampleDevice(a, other);
        const input = { deviceId: other, receivedAt, records, once: null };
        expect(await a.telemetry.append(input)).toEqual({ kind: "appended", verdicts });
        expect(await readRecordValues(b, other)).toHaveLength(records.length);
      }
    },
  ),

  toCase("append: a record without its own timestamp never matches another", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    const untimed = sampleRecord({ isTimed: false });
    for (const store of [a, b]) {
      const input = {
        deviceId,
        receivedAt,
        records: [untimed, untimed, sampleRecord()],
        once: null,
      };
      await store.telemetry.append(input);
    }
    expect(await readRecordValues(a, deviceId)).toHaveLength(5);
  }),

  toCase("append: returns unknown for an unknown device and stores nothing", async ([a, b]) => {
    const input = { deviceId, receivedAt, records: [sampleRecord()], once: null };
    expect(await a.telemetry.append(input)).toEqual({ kind: "unknown_device" });
    const once = { ...input, once: sampleAppendOnce("key") };
    expect(await b.telemetry.append(once)).toEqual({ kind: "unknown_device" });
    expect(await readRecordValues(a, deviceId)).toEqual([]);
    expect(await b.devices.find(deviceId)).toBeNull();
    await registerSampleDevice(a, deviceId);
    expect(await b.telemetry.append(once)).toEqual({ kind: "appended", verdicts: ["stored"] });
  }),

  toCase(
    "append: records when the device was seen and sent, never an earlier time",
    async ([a, b]) => {
      const device = await registerSampleDevice(a, deviceId);
      const append = (store: typeof a, at: number, records = [sampleRecord({ seq: at })]) =>
        store.telemetry.append({ deviceId, receivedAt: at, records, once: null });
      const expectTimes = async (lastSeenAt: number, lastTelemetryAt: number | null) =>
        expect(await a.devices.find(deviceId)).toEqual({ ...device, lastSeenAt, lastTelemetryAt });
      await append(a, 900, []);
      await expectTimes(900, null);
      await append(b, 1_000);
      await expectTimes(1_000, 1_000);
      await append(a, 999);
      await expectTimes(1_000, 1_000);
      await a.devices.recordSeen({ deviceId, now: 3_000 });
      await append(b, 2_000);
      await expectTimes(3_000, 2_000);
      await append(a, 4_000, [sampleRecord({ seq: 2_000 })]);
      await expectTimes(4_000, 4_000);
    },
  ),

  toRace("append: does not undo a concurrent change of the device", async (handles) => {
    const [store] = handles;
    for (let round = 0; round < 8; round++) {
      const device = await registerSampleDevice(store, `gw-${round}`);
      const id = device.deviceId;
      const event = sampleSecurityEvent(id, "device.renamed");
      await race<unknown>(handles, 2, (racing, racer) =>
        (racer + round) % 2 === 0
          ? racing.telemetry.append({ deviceId: id, receivedAt, records: [], once: null })
          : racing.devices.rename({ deviceId: id, ownerId: null, name: "name", event }),
      );
      const found = await store.devices.find(id);
      expect(found).toEqual({ ...device, name: "name", revision: 2, lastSeenAt: receivedAt });
    }
  }),

  toRace("append: stores a record once that many racers send", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const racing = { deviceId: `gw-${round}`, receivedAt, once: null };
      await registerSampleDevice(handles[0], racing.deviceId);
      const outcomes = await race(handles, 16, (store, racer) => {
        const own = sampleRecord({ seq: racer, value: { racer } });
        return store.telemetry.append({ ...racing, records: [own, sampleRecord()] });
      });
      const verdicts = outcomes.flatMap((outcome) =>
        outcome.kind === "appended" ? outcome.verdicts : [],
      );
      expect(verdicts.filter((verdict) => verdict === "stored")).toHaveLength(17);
      expect(verdicts.filter((verdict) => verdict === "duplicate")).toHaveLength(15);
      expect(await readRecordValues(handles[0], racing.deviceId)).toHaveLength(17);
    }
  }),

  toRace("append: concurrent requests leave the latest of their times", async ([a]) => {
    const device = await registerSampleDevice(a, deviceId);
    const append = (at: number, records = [sampleRecord({ seq: at })]) =>
      a.telemetry.append({ deviceId, receivedAt: at, records, once: null });
    await Promise.all([append(6_000), append(7_000, []), append(5_000)]);
    const times = { lastSeenAt: 7_000, lastTelemetryAt: 6_000 };
    expect(await a.devices.find(deviceId)).toEqual({ ...device, ...times });
  }),
];
