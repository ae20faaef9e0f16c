import type { GatewayStore, OtaState } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  registerSampleDevice,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "../samples/samples.js";
import { type StoreCase, toCase } from "../samples/store-case.js";
import { activeRelease, historyOf, movedTo, sampleReport, sendReport } from "./update-samples.js";

const reportCases: readonly StoreCase[] = [
  toCase("updates: a report writes update, event, tally and standing together", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const { id } = await activeRelease(a);
    const offer = await sendReport(a, "offered");
    const moved = movedTo("offered", { releaseId: id });
    expect(offer).toEqual({ state: "offered", moved, halt: null });
    expect(await sendReport(b, "offered")).toEqual({ state: "offered", moved: null, halt: null });
    const started = { servesImage: true, event: { createdAt: sampleTime + 5 } };
    expect(await sendReport(b, "downloading", started)).toEqual({
      state: "downloading",
      moved: movedTo("downloading", { releaseId: id, from: "offered", at: sampleTime + 5 }),
      halt: null,
    });
    expect(await a.updates.list("gw-1")).toEqual([
      {
        deviceId: "gw-1",
        releaseId: id,
        state: "downloading",
        fromVersion: "0.1.10",
        offeredAt: sampleTime,
        updatedAt: sampleTime + 5,
        attempts: [sampleTime + 5],
        attemptServed: true,
        failures: 0,
        outcome: null,
      },
    ]);
    expect(await a.updates.counts(id)).toEqual({ downloading: 1 });
    expect(await historyOf(a)).toEqual(["offered", "downloading"]);
    const { ota, revision } = (await b.devices.find("gw-1")) ?? {};
    expect(ota?.current).toEqual({ releaseId: id, version: "1.2.3", state: "downloading" });
    expect(revision, "an update does not raise the device's revision").toBe(1);
    await sendReport(a, "succeeded");
    const [done] = await b.updates.list("gw-1");
    expect(done?.outcome).toEqual({ kind: "succeeded", round: 1 });
    expect(await b.updates.counts(id)).toEqual({ succeeded: 1 });
  }),

  toCase("updates: an event is stored with every field", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const details = { source: "device", progress: 40, message: "Ümlaut" } as const;
    const event = { ...details, lastResult: "ERR_42", offeredVersion: "9.9.9" };
    await sendReport(a, "failed", { event, fingerprint: "print" });
    const { event: expected } = sampleReport("failed", { event });
    const page = { deviceId: "gw-1", from: 0, before: Number.MAX_SAFE_INTEGER, limit: 9 };
    expect(await b.otaEvents.list(page)).toEqual([{ ...expected, id: expect.any(Number) }]);
    expect((await b.devices.find("gw-1"))?.ota.lastReport).toBe("print");
  }),

  toCase(
    "updates: a move is in the event log, and a report that moves nothing is not",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      const { id } = await activeRelease(a);
      for (const state of ["offered", "offered", "failed", "failed"] as const) {
        await sendReport(a, state);
      }
      const kinds = ["update.moved"] as const;
      const events = await b.securityEvents.list({ after: 0, limit: 9, kinds });
      expect(events).toMatchObject([
        { deviceId: "gw-1", at: sampleTime, details: { releaseId: id, from: null, to: "offered" } },
        { deviceId: "gw-1", at: sampleTime, details: { from: "offered", to: "failed" } },
      ]);
    },
  ),

  toCase("updates: a release is found by its id, or by version and hardware", async ([a]) => {
    await registerSampleDevice(a, "gw-1");
    const other = await activeRelease(a, { targetHardware: "gw-3" });
    await activeRelease(a, { version: "1.2.4", status: "draft", activatedAt: null });
    expect((await sendReport(a, "offered")).state, "for other hardware").toBeNull();
    const draft = { event: { offeredVersion: "1.2.4" } };
    expect((await sendReport(a, "offered", draft)).state, "was never active").toBeNull();
    expect((await sendReport(a, "offered", { releaseId: 9_999 })).state, "unknown").toBeNull();
    expect((await sendReport(a, "offered", { releaseId: other.id })).state).toBe("offered");
    expect((await sendReport(a, "offered", { event: { deviceId: "nobody" } })).state).toBeNull();
    expect(await historyOf(a)).toEqual(["offered"]);
  }),

  toCase("updates: the change feed reports an update only if it changes", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    await activeRelease(a);
    const { cursor } = await b.changes.since(null);
    await sendReport(a, "offered");
    const first = await b.changes.since(cursor);
    expect(first).toMatchObject({ deviceIds: ["gw-1"], releasesChanged: false });
    await sendReport(a, "offered");
    expect(await b.changes.since(first.cursor)).toMatchObject({ deviceIds: [] });
  }),

  toCase("updates: a changed OTA status in telemetry moves an update", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const { id } = await activeRelease(a);
    await sendReport(a, "offered");
    const send = (store: GatewayStore, state: OtaState) => {
      const { event } = sampleReport(state, { event: { source: "telemetry" } });
      return store.telemetry.append({
        deviceId: "gw-1",
        receivedAt: sampleTime,
        records: [sampleRecord({ isTimed: false })],
        once: null,
        otaReports: [{ record: 0, fingerprint: state, event, rules: sampleUpdateRules }],
      });
    };
    const reports = [
      {
        state: "failed",
        moved: movedTo("failed", { releaseId: id, from: "offered", source: "telemetry" }),
        halt: null,
      },
    ];
    expect(await send(a, "failed")).toMatchObject({ kind: "appended", reports });
    expect(await send(b, "failed"), "an unchanged status").toMatchObject({ reports: [] });
    expect(await historyOf(a)).toEqual(["offered", "failed"]);
    expect((await a.updates.list("gw-1"))[0]).toMatchObject({ state: "failed", failures: 1 });
    // After the server has seen a new attempt begin, the same status counts as a change again.
    await sendReport(b, "downloading", { servesImage: true });
    await send(a, "failed");
    expect((await b.updates.list("gw-1"))[0]).toMatchObject({ state: "failed", failures: 2 });
  }),
];

const listCases: readonly StoreCase[] = [
  toCase("updates: a device's updates are listed with the last moved first", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const first = await activeRelease(a);
    const second = await activeRelease(a, { version: "1.2.4" });
    await sendReport(a, "offered", { releaseId: first.id });
    await sendReport(a, "offered", { releaseId: second.id, event: { createdAt: sampleTime + 1 } });
    const ids = async () => (await b.updates.list("gw-1")).map(({ releaseId }) => releaseId);
    expect(await ids()).toEqual([second.id, first.id]);
    await sendReport(a, "failed", { releaseId: first.id, event: { createdAt: sampleTime + 2 } });
    expect(await ids()).toEqual([first.id, second.id]);
    const { current } = (await b.devices.find("gw-1"))?.ota ?? {};
    expect(current?.releaseId, "the last offered release").toBe(second.id);
    expect(await b.updates.list("gw-2")).toEqual([]);
  }),

  toCase(
    "updates: an unfinished update without reports is overdue, the oldest first",
    async ([a, b]) => {
      await activeRelease(a);
      const states: readonly OtaState[] = ["offered", "downloading", "installing", "failed"];
      for (const [n, state] of states.entries()) {
        const deviceId = `gw-${n}`;
        await registerSampleDevice(a, deviceId);
        await sendReport(a, "offered", { event: { deviceId } });
        await sendReport(a, state, { event: { deviceId, createdAt: sampleTime + 10 - n } });
      }
      const silentSince = 0;
      const overdue = async (before: number, limit = 9) =>
        (await b.updates.overdue({ before, silentSince, limit })).map(({ deviceId }) => deviceId);
      expect(await overdue(sampleTime + 11)).toEqual(["gw-2", "gw-1"]);
      expect(await overdue(sampleTime + 11, 1)).toEqual(["gw-2"]);
      expect(await overdue(sampleTime + 9)).toEqual(["gw-2"]);
      expect(await overdue(sampleTime + 8)).toEqual([]);
      const [first] = await b.updates.overdue({ before: sampleTime + 11, silentSince, limit: 1 });
      expect(first).toMatchObject({ version: "1.2.3", firmwareVersion: "0.1.10" });
    },
  ),

  toCase(
    "updates: an update is overdue if its device went silent after the download began",
    async ([a, b]) => {
      await activeRelease(a);
      const states: readonly OtaState[] = ["downloading", "downloaded", "rebooting"];
      for (const [n, state] of states.entries()) {
        const deviceId = `gw-${n}`;
        await registerSampleDevice(a, deviceId);
        await sendReport(a, "offered", { event: { deviceId } });
        await sendReport(a, state, { event: { deviceId } });
      }
      const overdue = async (silentSince: number) =>
        (await b.updates.overdue({ before: sampleTime, silentSince, limit: 9 }))
          .map(({ deviceId }) => deviceId)
          .sort();
      expect(await overdue(sampleTime)).toEqual([]);
      expect(await overdue(sampleTime + 1)).toEqual(["gw-1", "gw-2"]);
      await a.devices.recordSeen({ deviceId: "gw-1", now: sampleTime + 1 });
      expect(await overdue(sampleTime + 1)).toEqual(["gw-2"]);
      expect(await overdue(sampleTime + 2)).toEqual(["gw-1", "gw-2"]);
    },
  ),

  toCase("updates: old updates are deleted unless they are unfinished", async ([a, b]) => {
    const { id } = await activeRelease(a);
    for (const [n, state] of (["offered", "downloading", "failed"] as const).entries()) {
      const deviceId = `gw-${n}`;
      await registerSampleDevice(a, deviceId);
      await sendReport(a, "offered", { event: { deviceId } });
      await sendReport(a, state, { event: { deviceId } });
    }
    const prune = (movedBefore: number, limit: number) => b.updates.prune({ movedBefore, limit });
    expect(await prune(sampleTime, 9)).toBe(0);
    expect([await prune(sampleTime + 1, 1), await prune(sampleTime + 1, 9)]).toEqual([1, 1]);
    expect(await a.updates.counts(id)).toEqual({ downloading: 1 });
  }),

  toCase("updates: are erased with their device", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const { id } = await activeRelease(a);
    await sendReport(a, "offered");
    const event = sampleSecurityEvent("gw-1", "device.erased");
    await b.devices.erase({ deviceId: "gw-1", block: false, event });
    expect(await a.updates.list("gw-1")).toEqual([]);
    expect(await a.updates.counts(id)).toEqual({});
    await registerSampleDevice(a, "gw-1");
    expect((await a.devices.find("gw-1"))?.ota.current).toBeNull();
  }),
];

/** Cases for `UpdateStore`: reports and lists. */
export const updateCases: readonly StoreCase[] = [...reportCases, ...listCases];
