import { expect } from "vitest";
import { awkwardText } from "./awkward-values.js";
import { bodiesOf, sampleRecord, sampleTime } from "./samples.js";
import { race, type StoreCase, toCase, toRace } from "./store-case.js";

const deviceId = "gw-1";
const receivedAt = sampleTime + 1_000;

/** The promises of `TelemetryStore.append` on records. */
export const appendCases: readonly StoreCase[] = [
  toCase("append: nothing to store is fine", async ([a]) => {
    const outcome = await a.telemetry.append({ deviceId, receivedAt, records: [], once: null });
    expect(outcome).toEqual({ kind: "appended", verdicts: [] });
  }),

  toCase("append: records come back as they were sent, in their order", async ([a, b]) => {
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
      const input = { deviceId: other, receivedAt, records, once: null };
      expect(await a.telemetry.append(input)).toEqual({ kind: "appended", verdicts });
      expect(await bodiesOf(b, other)).toHaveLength(records.length);
    }
  }),

  toCase("append: records without a content hash never match another", async ([a, b]) => {
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

  toCase("append: does not ask whether the device exists", async ([a]) => {
    const input = { deviceId: "nobody", receivedAt, records: [sampleRecord()], once: null };
    expect(await a.telemetry.append(input)).toMatchObject({ verdicts: ["stored"] });
    expect(await bodiesOf(a, "nobody")).toHaveLength(1);
  }),

  toRace("append: a record that many racers send is stored once", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const racing = { deviceId: `gw-${round}`, receivedAt, once: null };
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
