import { expect } from "vitest";
import { awkwardText } from "./awkward-values.js";
import { bodiesOf, eventOf, registered, sampleOnce, sampleRecord, sampleTime } from "./samples.js";
import { race, type StoreCase, toCase, toRace } from "./store-case.js";

const deviceId = "gw-1";
const receivedAt = sampleTime + 1_000;

/** The promises of `TelemetryStore.append` on records. */
export const appendCases: readonly StoreCase[] = [
  toCase("append: nothing to store is fine", async ([a]) => {
    await registered(a, deviceId);
    const outcome = await a.telemetry.append({ deviceId, receivedAt, records: [], once: null });
    expect(outcome).toEqual({ kind: "appended", verdicts: [] });
  }),

  toCase("append: records come back as they were sent, in their order", async ([a, b]) => {
    await registered(a, deviceId);
    const records = [
      sampleRecord({ body: ' {"b" : 1.0, "a":1e2,\n"漢":"\\u0000\\ud800"} ' }),
      sampleRecord({ at: 0, seq: 0, contentHash: null, body: awkwardText }),
      sampleRecord({ at: -1, seq: Number.MAX_SAFE_INTEGER, metrics: [], body: "" }),
      sampleRecord({ at: 8_640_000_000_000_000, seq: -1, body: "漢".repeat(100_000) }),
    ];
    const outcome = await a.telemetry.append({ deviceId, receivedAt, records, once: null });
    expect(outcome).toEqual({ kind: "appended", verdicts: records.map(() => "stored") });
    const position = expect.any(Number);
    expect(await b.telemetry.read({ deviceId, after: 0, limit: 10 })).toEqual(
      records.map(({ at, seq, body }) => ({ position, at, receivedAt, seq, body })),
    );
  }),

  toCase("append: the same device, time, seq and content is a duplicate", async ([a, b]) => {
    await registered(a, deviceId);
    const [first, second] = [sampleRecord(), sampleRecord({ seq: 1 })];
    const append = (store: typeof a, records: (typeof first)[]) =>
      store.telemetry.append({ deviceId, receivedAt, records, once: null });
    expect(await append(a, [first])).toMatchObject({ verdicts: ["stored"] });
    expect(await append(b, [first])).toMatchObject({ verdicts: ["duplicate"] });
    const verdicts = ["stored", "duplicate", "duplicate"];
    expect(await append(b, [second, first, second])).toMatchObject({ verdicts });
    expect(await bodiesOf(a, deviceId)).toHaveLength(2);
  }),

  toCase("append: whatever differs in device, time, seq or content is kept", async ([a, b]) => {
    const records = [
      sampleRecord(),
      sampleRecord({ contentHash: "other" }),
      sampleRecord({ seq: 0 }),
      sampleRecord({ seq: 1 }),
      sampleRecord({ seq: 1, contentHash: "other" }),
      sampleRecord({ at: sampleTime + 1 }),
      sampleRecord({ contentHash: "CONTENT-HASH" }),
    ];
    const verdicts = records.map(() => "stored");
    for (const other of ["gw-1", "gw-2", "GW-1"]) {
      await registered(a, other);
      const input = { deviceId: other, receivedAt, records, once: null };
      expect(await a.telemetry.append(input)).toEqual({ kind: "appended", verdicts });
      expect(await bodiesOf(b, other)).toHaveLength(records.length);
    }
  }),

  toCase("append: records without a content hash never match another", async ([a, b]) => {
    await registered(a, deviceId);
    const untimed = sampleRecord({ contentHash: null });
    for (const store of [a, b]) {
      const input = {
        deviceId,
        receivedAt,
        records: [untimed, untimed, sampleRecord()],
        once: null,
      };
      await store.telemetry.append(input);
    }
    expect(await bodiesOf(a, deviceId)).toHaveLength(5);
  }),

  toCase("append: unknown without such a device, and stores nothing", async ([a, b]) => {
    const input = { deviceId, receivedAt, records: [sampleRecord()], once: null };
    expect(await a.telemetry.append(input)).toEqual({ kind: "unknown_device" });
    const once = { ...input, once: sampleOnce("key") };
    expect(await b.telemetry.append(once)).toEqual({ kind: "unknown_device" });
    expect(await bodiesOf(a, deviceId)).toEqual([]);
    expect(await b.devices.find(deviceId)).toBeNull();
    await registered(a, deviceId);
    expect(await b.telemetry.append(once)).toEqual({ kind: "appended", verdicts: ["stored"] });
  }),

  toCase("append: with when the device was seen and sent, never back", async ([a, b]) => {
    const device = await registered(a, deviceId);
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
  }),

  toRace("append: loses no change of the device that races with it", async (handles) => {
    const [store] = handles;
    for (let round = 0; round < 8; round++) {
      const device = await registered(store, `gw-${round}`);
      const id = device.deviceId;
      const event = eventOf(id, "device.renamed");
      await race<unknown>(handles, 2, (racing, racer) =>
        (racer + round) % 2 === 0
          ? racing.telemetry.append({ deviceId: id, receivedAt, records: [], once: null })
          : racing.devices.rename({ deviceId: id, ownerId: null, name: "name", event }),
      );
      const found = await store.devices.find(id);
      expect(found).toEqual({ ...device, name: "name", revision: 2, lastSeenAt: receivedAt });
    }
  }),

  toRace("append: a record that many racers send is stored once", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const racing = { deviceId: `gw-${round}`, receivedAt, once: null };
      await registered(handles[0], racing.deviceId);
      const outcomes = await race(handles, 16, (store, racer) => {
        const own = sampleRecord({ seq: racer, body: `{"racer":${racer}}` });
        return store.telemetry.append({ ...racing, records: [own, sampleRecord()] });
      });
      const verdicts = outcomes.flatMap((outcome) =>
        outcome.kind === "appended" ? outcome.verdicts : [],
      );
      expect(verdicts.filter((verdict) => verdict === "stored")).toHaveLength(17);
      expect(verdicts.filter((verdict) => verdict === "duplicate")).toHaveLength(15);
      expect(await bodiesOf(handles[0], racing.deviceId)).toHaveLength(17);
    }
  }),
];
