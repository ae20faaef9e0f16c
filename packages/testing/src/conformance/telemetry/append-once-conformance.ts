import { expect } from "vitest";
import { awkwardText } from "../samples/awkward-values.js";
import {
  readRecordValues,
  registerSampleDevice,
  sampleAppendOnce,
  sampleRecord,
  sampleTime,
} from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const untimed = sampleRecord({ isTimed: false });
const input = { deviceId: "gw-1", receivedAt: sampleTime, records: [untimed, untimed] };
const verdicts = ["stored", "stored"];

/** Cases for `TelemetryStore.append` with an idempotency key. */
export const appendOnceCases: readonly StoreCase[] = [
  toCase(
    "append once: a repeat returns the verdicts and memo of the first request",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      const timed = sampleRecord();
      const first = { ...input, records: [timed, timed, untimed], once: sampleAppendOnce("key") };
      const firstVerdicts = ["stored", "duplicate", "stored"];
      expect(await a.telemetry.append(first)).toEqual({
        kind: "appended",
        verdicts: firstVerdicts,
      });
      for (const store of [a, b]) {
        const again = { ...first, once: sampleAppendOnce("key", { memo: "other" }) };
        const repeated = { kind: "repeated", verdicts: firstVerdicts, memo: "memo" };
        expect(await store.telemetry.append(again)).toEqual(repeated);
      }
      expect(await readRecordValues(b, "gw-1")).toHaveLength(2);
    },
  ),

  toCase("append once: a key with another body stores nothing", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const once = sampleAppendOnce("key");
    await a.telemetry.append({ ...input, once });
    const other = { ...input, once: sampleAppendOnce("key", { fingerprint: "other" }) };
    expect(await b.telemetry.append(other)).toEqual({ kind: "key_reused" });
    expect(await a.telemetry.append(other)).toEqual({ kind: "key_reused" });
    expect(await b.telemetry.append({ ...input, once })).toMatchObject({ kind: "repeated" });
    expect(await readRecordValues(a, "gw-1")).toHaveLength(2);
  }),

  toCase("append once: a repeat or a conflict does not change the device", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const once = sampleAppendOnce("key");
    await a.telemetry.append({ ...input, once });
    const before = await a.devices.find("gw-1");
    expect(before).toMatchObject({ lastSeenAt: sampleTime, lastTelemetryAt: sampleTime });
    const receivedAt = sampleTime + 1_000;
    const other = sampleAppendOnce("key", { fingerprint: "other" });
    for (const store of [a, b]) {
      for (const records of [input.records, []]) {
        const again = { ...input, records, receivedAt };
        expect(await store.telemetry.append({ ...again, once })).toMatchObject({
          kind: "repeated",
        });
        expect(await store.telemetry.append({ ...again, once: other })).toEqual({
          kind: "key_reused",
        });
        expect(await store.devices.find("gw-1")).toEqual(before);
      }
    }
  }),

  toCase("append once: a key can be reused only after it has expired", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const once = sampleAppendOnce("key", { expiresAt: sampleTime + 1_000 });
    const at = (receivedAt: number, fingerprint = "fingerprint") => ({
      ...input,
      receivedAt,
      once: { ...once, fingerprint, expiresAt: receivedAt + 1_000, memo: `memo ${receivedAt}` },
    });
    await a.telemetry.append({ ...input, once });
    const lastMoment = await b.telemetry.append(at(sampleTime + 1_000));
    expect(lastMoment).toEqual({ kind: "repeated", verdicts, memo: "memo" });
    const reused = at(sampleTime + 1_001, "other");
    expect(await b.telemetry.append(reused)).toEqual({ kind: "appended", verdicts });
    const repeated = { kind: "repeated", verdicts, memo: reused.once.memo };
    expect(await a.telemetry.append(at(sampleTime + 1_500, "other"))).toEqual(repeated);
    expect(await readRecordValues(a, "gw-1")).toHaveLength(4);
  }),

  toCase("append once: keys differ by device and by every character", async ([a]) => {
    const keys = ["key", "KEY", "key ", awkwardText, "__proto__", "k".repeat(1_000)];
    for (const deviceId of ["gw-1", "gw-2"]) {
      await registerSampleDevice(a, deviceId);
      for (const key of keys) {
        const outcome = await a.telemetry.append({
          ...input,
          deviceId,
          once: sampleAppendOnce(key),
        });
        expect(outcome).toEqual({ kind: "appended", verdicts });
      }
    }
  }),

  toCase("append once: remembers a request without records", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const empty = { ...input, records: [], once: sampleAppendOnce("key", { memo: awkwardText }) };
    expect(await a.telemetry.append(empty)).toEqual({ kind: "appended", verdicts: [] });
    const repeated = { kind: "repeated", verdicts: [], memo: awkwardText };
    expect(await b.telemetry.append(empty)).toEqual(repeated);
  }),

  toRace("append once: exactly one of many racers stores its records", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const deviceId = `gw-${round}`;
      await registerSampleDevice(handles[0], deviceId);
      const outcomes = await race(handles, 16, (store, racer) =>
        store.telemetry.append({
          ...input,
          deviceId,
          once: sampleAppendOnce("key", { memo: `memo ${racer}` }),
        }),
      );
      const winner = onlyIndexOf(outcomes, "appended");
      expect(winner, "the only winner").not.toBe(-1);
      const repeated = { kind: "repeated", verdicts, memo: `memo ${winner}` };
      expect(outcomes.filter((_, racer) => racer !== winner)).toEqual(Array(15).fill(repeated));
      expect(await readRecordValues(handles[1], deviceId)).toHaveLength(2);
    }
  }),

  toRace("append once: exactly one of many bodies gets the key", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const deviceId = `gw-${round}`;
      await registerSampleDevice(handles[0], deviceId);
      const outcomes = await race(handles, 16, (store, racer) => {
        const once = sampleAppendOnce("key", { fingerprint: `body ${racer}` });
        const record = sampleRecord({ isTimed: false, value: { racer } });
        return store.telemetry.append({ ...input, deviceId, records: [record], once });
      });
      const winner = onlyIndexOf(outcomes, "appended");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "key_reused")).toHaveLength(15);
      expect(await readRecordValues(handles[0], deviceId)).toEqual([{ racer: winner }]);
    }
  }),
];
