import type {
  GatewayStore,
  OtaEvent,
  OtaReport,
  TelemetryRecord,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  registerSampleDevice,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "../samples/samples.js";
import { type StoreCase, toCase, toRace } from "../samples/store-case.js";

const statusOf = (lastResult: string, changes: Partial<OtaEvent> = {}): OtaReport => ({
  record: 0,
  fingerprint: lastResult,
  event: {
    createdAt: sampleTime,
    deviceId: "gw-1",
    source: "telemetry",
    state: "failed",
    offeredVersion: "1.2.0",
    fromVersion: "1.1.0",
    lastResult,
    lastCheckSucceeded: true,
    updateAvailable: false,
    updateApplied: null,
    progress: null,
    message: null,
    ...changes,
  },
  rules: sampleUpdateRules,
});

const report = (store: GatewayStore, ...otaReports: readonly OtaReport[]) =>
  store.telemetry.append({
    deviceId: "gw-1",
    receivedAt: sampleTime,
    records: [sampleRecord({ isTimed: false })],
    once: null,
    otaReports,
  });
const list = (store: GatewayStore, changes: object = {}) =>
  store.otaEvents.list({
    deviceId: "gw-1",
    from: 0,
    before: Number.MAX_SAFE_INTEGER,
    limit: 100,
    ...changes,
  });
const resultsOf = async (store: GatewayStore) =>
  (await list(store)).map(({ lastResult }) => lastResult);

/** Cases for OTA events. */
export const otaEventCases: readonly StoreCase[] = [
  toCase(
    "ota: a status that differs from the previous one is stored whole as an event",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      await report(a, statusOf("one"), statusOf("one"), statusOf("two", { offeredVersion: null }));
      await report(b, statusOf("two"));
      await report(b, statusOf("one"));
      expect(await resultsOf(a)).toEqual(["one", "two", "one"]);
      const [, second] = await list(b);
      expect(second).toEqual({
        ...statusOf("two", { offeredVersion: null }).event,
        id: expect.any(Number),
      });
      expect((await a.devices.find("gw-1"))?.otaFingerprint).toBe("one");
    },
  ),

  toCase("ota: the status of a duplicate record makes no event", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const record = (seq: number) => sampleRecord({ seq });
    const send = (store: GatewayStore, ...records: TelemetryRecord[]) =>
      store.telemetry.append({
        deviceId: "gw-1",
        receivedAt: sampleTime,
        records,
        once: null,
        otaReports: records.map(({ seq }, index) => ({ ...statusOf(`${seq}`), record: index })),
      });
    await send(a, record(1), record(2));
    for (const store of [a, b]) {
      const again = await send(store, record(1), record(2));
      expect(again).toEqual({
        kind: "appended",
        verdicts: ["duplicate", "duplicate"],
        reports: [],
      });
      expect(await send(store, record(1))).toMatchObject({ reports: [] });
    }
    expect(await resultsOf(a)).toEqual(["2", "1"]);
    expect((await a.devices.find("gw-1"))?.otaFingerprint).toBe("2");

    const mixed = await send(b, record(1), record(3), record(2), record(3), record(4));
    expect(mixed).toMatchObject({ kind: "appended", reports: [{}, {}] });
    expect(await resultsOf(a)).toEqual(["4", "3", "2", "1"]);
    const untimed = sampleRecord({ isTimed: false, seq: 5, value: {} });
    await send(a, untimed);
    await send(b, record(6), untimed);
    expect(await resultsOf(b)).toEqual(["5", "6", "5", "4", "3", "2", "1"]);
  }),

  toCase("ota: the change feed reports an event, but not an unchanged status", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const { cursor } = await b.changes.since(null);
    await report(a, statusOf("one"));
    const first = await b.changes.since(cursor);
    expect(first).toMatchObject({ kind: "changes", deviceIds: ["gw-1"] });
    await report(a, statusOf("one"));
    expect(await b.changes.since(first.cursor)).toMatchObject({ deviceIds: [] });
  }),

  toRace("ota: many racers with the same status make one event", async (handles) => {
    await registerSampleDevice(handles[0], "gw-1");
    const racers = Array.from({ length: 16 }, (_, i) => handles[i % 2] as GatewayStore);
    await Promise.all(racers.map((store) => report(store, statusOf("same"))));
    expect(await resultsOf(handles[0])).toEqual(["same"]);
  }),

  toCase(
    "ota: events of one device are listed newest first, in pages, from a given time",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      await registerSampleDevice(a, "gw-2");
      const results = ["a", "b", "c", "d", "e"];
      for (const [i, result] of results.entries()) {
        await report(a, statusOf(result, { createdAt: sampleTime + i }));
      }
      const first = await list(b, { limit: 2 });
      expect(first.map(({ lastResult }) => lastResult)).toEqual(["e", "d"]);
      const before = first.at(-1)?.id as number;
      const second = await list(b, { before, from: sampleTime + 1 });
      expect(second.map(({ lastResult }) => lastResult)).toEqual(["c", "b"]);
      expect(await list(b, { deviceId: "gw-2" })).toEqual([]);
    },
  ),

  toCase(
    "ota: old events are pruned oldest first, and erased with their device",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      for (const [i, result] of ["a", "b", "c"].entries()) {
        await report(a, statusOf(result, { createdAt: sampleTime + i }));
      }
      const prune = (limit: number) => a.otaEvents.prune({ createdBefore: sampleTime + 2, limit });
      expect([await prune(1), await prune(5), await prune(5)]).toEqual([1, 1, 0]);
      expect(await resultsOf(b)).toEqual(["c"]);
      const event = sampleSecurityEvent("gw-1", "device.erased");
      await a.devices.erase({ deviceId: "gw-1", block: false, event });
      expect(await resultsOf(b)).toEqual([]);
    },
  ),

  toCase("ota: a device with the id of an erased one has none of its events", async ([a, b]) => {
    const event = sampleSecurityEvent("gw-1", "device.erased");
    for (const [store, other] of [
      [a, b],
      [b, a],
    ] as const) {
      await registerSampleDevice(store, "gw-1");
      expect(await resultsOf(other)).toEqual([]);
      await report(other, statusOf("one"), statusOf("two"));
      expect(await resultsOf(store)).toEqual(["two", "one"]);
      await store.devices.erase({ deviceId: "gw-1", block: false, event });
    }
  }),
];
