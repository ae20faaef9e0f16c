import type { GatewayStore, UpdateCommand } from "@device-gateway/core/store";
import { newDeviceOta } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";
import { activeRelease, sampleReport, sendReport } from "./update-samples.js";

const deviceId = "gw-1";
const waiting = (requestId: string): UpdateCommand => ({
  requestId,
  requestedAt: sampleTime,
  status: null,
  message: null,
  answeredAt: null,
});
const ask = (store: GatewayStore, requestId: string, ownerId = "owner") =>
  store.updates.command({
    deviceId,
    ownerId,
    command: waiting(requestId),
    event: sampleSecurityEvent(deviceId, "device.update_requested"),
  });
const answer = (store: GatewayStore, requestId: string, status: string) => {
  const { event } = sampleReport("failed", {
    event: { source: "command", lastResult: status, createdAt: sampleTime + 5 },
  });
  return store.updates.answerCommand({ deviceId, requestId, status, message: null, event });
};
const otaOf = async (store: GatewayStore) => (await store.devices.find(deviceId))?.ota;
const eventsIn = async (store: GatewayStore) => {
  const page = { deviceId, from: 0, before: Number.MAX_SAFE_INTEGER, limit: 99 };
  return (await store.otaEvents.list(page)).map(({ lastResult }) => lastResult);
};
const event = sampleSecurityEvent(deviceId, "device.steered");

/** Cases for "update now" commands, channels and pinned versions. */
export const updateCommandCases: readonly StoreCase[] = [
  toCase(
    "update now: one command waits for the device, and its event is written",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId, sampleOwnership());
      const { cursor } = await b.changes.since(null);
      expect(await ask(a, "one")).toEqual({ kind: "waiting", command: waiting("one") });
      expect(await b.changes.since(cursor)).toMatchObject({ deviceIds: [deviceId] });
      expect(await ask(b, "two")).toEqual({ kind: "waiting", command: waiting("one") });
      expect((await otaOf(b))?.command).toEqual(waiting("one"));
      expect(await readLaterEvents(a, deviceId)).toHaveLength(1);
    },
  ),

  toRace("update now: concurrent requests get the same command", async (handles) => {
    await registerSampleDevice(handles[0], deviceId, sampleOwnership());
    const outcomes = await race(handles, 16, (store, n) => ask(store, `request-${n}`));
    const ids = outcomes.map((one) => (one.kind === "waiting" ? one.command.requestId : ""));
    expect(new Set(ids).size).toBe(1);
    expect(await readLaterEvents(handles[0], deviceId)).toHaveLength(1);
  }),

  toCase("update now: returns unknown if the caller is not the owner", async ([a, b]) => {
    expect(await ask(a, "one")).toEqual({ kind: "unknown" });
    await registerSampleDevice(a, deviceId, sampleOwnership());
    expect(await ask(b, "one", "stranger")).toEqual({ kind: "unknown" });
    expect((await otaOf(a))?.command).toBeNull();
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toCase(
    "update now: stores the device's answer and its event, and no answer to another command",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId, sampleOwnership());
      await ask(a, "one");
      await answer(a, "another", "failed");
      expect(await eventsIn(a)).toEqual([]);
      await answer(b, "one", "checking");
      await answer(a, "one", "checking");
      expect((await otaOf(a))?.command).toEqual({
        ...waiting("one"),
        status: "checking",
        answeredAt: sampleTime + 5,
      });
      await answer(b, "one", "no-update");
      expect(await eventsIn(a)).toEqual(["no-update", "checking"]);
      expect(await ask(a, "two"), "after the answer, the next command can wait").toEqual({
        kind: "waiting",
        command: waiting("two"),
      });
    },
  ),

  toCase(
    "update now: releasing the device removes the command and keeps channel and pin",
    async ([a, b]) => {
      const ota = { ...newDeviceOta, channel: "beta", pinnedVersion: "1.0.0" };
      await registerSampleDevice(a, deviceId, { ...sampleOwnership(), ota });
      await ask(a, "one");
      const released = sampleSecurityEvent(deviceId, "device.released");
      await a.claims.release({ deviceId, ownerId: "owner", spendCode: false, event: released });
      expect(await otaOf(b)).toEqual(ota);
    },
  ),

  toCase("setOtaTarget: sets channel and pin separately and writes its event", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    expect(await a.updates.setOtaTarget({ deviceId: "nobody", channel: "beta", event })).toEqual({
      kind: "unknown",
    });
    const { cursor } = await b.changes.since(null);
    expect(await a.updates.setOtaTarget({ deviceId, channel: "beta", event })).toEqual({
      kind: "recorded",
    });
    expect(await b.changes.since(cursor)).toMatchObject({ deviceIds: [deviceId] });
    await b.updates.setOtaTarget({ deviceId, pinnedVersion: "1.2.3", event });
    expect(await otaOf(a)).toEqual({ ...newDeviceOta, channel: "beta", pinnedVersion: "1.2.3" });
    await a.updates.setOtaTarget({ deviceId, channel: "stable", pinnedVersion: null, event });
    expect(await otaOf(b)).toEqual(newDeviceOta);
    await a.updates.setOtaTarget({ deviceId, benchMode: true, event });
    expect(await otaOf(b)).toEqual({ ...newDeviceOta, benchMode: true });
    await a.updates.setOtaTarget({ deviceId, channel: "stable", event });
    expect(await otaOf(b)).toEqual({ ...newDeviceOta, benchMode: true });
    expect(await readLaterEvents(a, deviceId)).toHaveLength(5);
    expect((await a.devices.find(deviceId))?.revision).toBe(6);
  }),

  toCase("clearBlocks: the device can fail as often again before it is blocked", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    expect(await a.updates.clearBlocks({ deviceId: "nobody", event })).toEqual({ kind: "unknown" });
    const { id } = await activeRelease(a);
    const fail = async () => {
      await sendReport(a, "offered");
      await sendReport(a, "failed", { event: { deviceId, source: "device" } });
    };
    for (let n = 0; n < sampleUpdateRules.maxFailures; n++) await fail();
    expect((await otaOf(b))?.blocks).toMatchObject([{ releaseId: id }]);
    const { cursor } = await b.changes.since(null);
    expect(await b.updates.clearBlocks({ deviceId, event })).toEqual({ kind: "recorded" });
    expect(await a.changes.since(cursor)).toMatchObject({ deviceIds: [deviceId] });
    expect(await readLaterEvents(a, deviceId)).toHaveLength(1);
    for (let n = 1; n < sampleUpdateRules.maxFailures; n++) await fail();
    expect((await otaOf(a))?.blocks).toEqual([]);
    await b.updates.clearBlocks({ deviceId, event });
    await fail();
    expect((await otaOf(a))?.blocks).toEqual([]);
  }),
];
