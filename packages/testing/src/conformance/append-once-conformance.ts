import { expect } from "vitest";
import { awkwardText } from "./awkward-values.js";
import { registered, sampleOnce, sampleRecord, sampleTime, valuesOf } from "./samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "./store-case.js";

const untimed = sampleRecord({ isTimed: false });
const input = { deviceId: "gw-1", receivedAt: sampleTime, records: [untimed, untimed] };
const verdicts = ["stored", "stored"];

/** The promises of `TelemetryStore.append` on keys. */
export const appendOnceCases: readonly StoreCase[] = [
  toCase("append once: a repeat gets the verdicts and memo of then", async ([a, b]) => {
    await registered(a, "gw-1");
    const timed = sampleRecord();
    const first = { ...input, records: [timed, timed, untimed], once: sampleOnce("key") };
    const then = ["stored", "duplicate", "stored"];
    expect(await a.telemetry.append(first)).toEqual({ kind: "appended", verdicts: then });
    for (const store of [a, b]) {
      const again = { ...first, once: sampleOnce("key", { memo: "other" }) };
      const repeated = { kind: "repeated", verdicts: then, memo: "memo" };
      expect(await store.telemetry.append(again)).toEqual(repeated);
    }
    expect(await valuesOf(b, "gw-1")).toHaveLength(2);
  }),

  toCase("append once: the key with another body stores nothing", async ([a, b]) => {
    await registered(a, "gw-1");
    const once = sampleOnce("key");
    await a.telemetry.append({ ...input, once });
    const other = { ...input, once: sampleOnce("key", { fingerprint: "other" }) };
    expect(await b.telemetry.append(other)).toEqual({ kind: "key_reused" });
    expect(await a.telemetry.append(other)).toEqual({ kind: "key_reused" });
    expect(await b.telemetry.append({ ...input, once })).toMatchObject({ kind: "repeated" });
    expect(await valuesOf(a, "gw-1")).toHaveLength(2);
  }),

  toCase("append once: what appends nothing says nothing of the device", async ([a, b]) => {
    await registered(a, "gw-1");
    const once = sampleOnce("key");
    await a.telemetry.append({ ...input, once });
    const before = await a.devices.find("gw-1");
    expect(before).toMatchObject({ lastSeenAt: sampleTime, lastTelemetryAt: sampleTime });
    const receivedAt = sampleTime + 1_000;
    const other = sampleOnce("key", { fingerprint: "other" });
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

  toCase("append once: the key can be used anew after it expired, not before", async ([a, b]) => {
    await registered(a, "gw-1");
    const once = sampleOnce("key", { expiresAt: sampleTime + 1_000 });
    const at = (receivedAt: number, fingerprint = "fingerprint") => ({
      ...input,
      receivedAt,
      once: { ...once, fingerprint, expiresAt: receivedAt + 1_000, memo: `memo ${receivedAt}` },
    });
    await a.telemetry.append({ ...input, once });
    const lastMoment = await b.telemetry.append(at(sampleTime + 1_000));
    expect(lastMoment).toEqual({ kind: "repeated", verdicts, memo: "memo" });
    const anew = at(sampleTime + 1_001, "other");
    expect(await b.telemetry.append(anew)).toEqual({ kind: "appended", verdicts });
    const repeated = { kind: "repeated", verdicts, memo: anew.once.memo };
    expect(await a.telemetry.append(at(sampleTime + 1_500, "other"))).toEqual(repeated);
    expect(await valuesOf(a, "gw-1")).toHaveLength(4);
  }),

  toCase("append once: keys are told apart by device and by every character", async ([a]) => {
    const keys = ["key", "KEY", "key ", awkwardText, "__proto__", "k".repeat(1_000)];
    for (const deviceId of ["gw-1", "gw-2"]) {
      await registered(a, deviceId);
      for (const key of keys) {
        const outcome = await a.telemetry.append({ ...input, deviceId, once: sampleOnce(key) });
        expect(outcome).toEqual({ kind: "appended", verdicts });
      }
    }
  }),

  toCase("append once: remembers a request that had nothing to store", async ([a, b]) => {
    await registered(a, "gw-1");
    const empty = { ...input, records: [], once: sampleOnce("key", { memo: awkwardText }) };
    expect(await a.telemetry.append(empty)).toEqual({ kind: "appended", verdicts: [] });
    const repeated = { kind: "repeated", verdicts: [], memo: awkwardText };
    expect(await b.telemetry.append(empty)).toEqual(repeated);
  }),

  toRace("append once: exactly one of many racers stores", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const deviceId = `gw-${round}`;
      await registered(handles[0], deviceId);
      const outcomes = await race(handles, 16, (store, racer) =>
        store.telemetry.append({
          ...input,
          deviceId,
          once: sampleOnce("key", { memo: `memo ${racer}` }),
        }),
      );
      const winner = onlyIndexOf(outcomes, "appended");
      expect(winner, "the only winner").not.toBe(-1);
      const repeated = { kind: "repeated", verdicts, memo: `memo ${winner}` };
      expect(outcomes.filter((_, racer) => racer !== winner)).toEqual(Array(15).fill(repeated));
      expect(await valuesOf(handles[1], deviceId)).toHaveLength(2);
    }
  }),

  toRace("append once: exactly one of many bodies gets the key", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const deviceId = `gw-${round}`;
      await registered(handles[0], deviceId);
      const outcomes = await race(handles, 16, (store, racer) => {
        const once = sampleOnce("key", { fingerprint: `body ${racer}` });
        const record = sampleRecord({ isTimed: false, value: { racer } });
        return store.telemetry.append({ ...input, deviceId, records: [record], once });
      });
      const winner = onlyIndexOf(outcomes, "appended");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "key_reused")).toHaveLength(15);
      expect(await valuesOf(handles[0], deviceId)).toEqual([{ racer: winner }]);
    }
  }),
];
