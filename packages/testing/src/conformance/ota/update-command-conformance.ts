import type { CommandAnswer, GatewayStore, UpdateCommand } from "@device-gateway/core/store";
import { newDeviceOta, updateNow } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  cancel,
  find,
  isWaiting,
  list,
  minute,
  own,
  send,
  stateOf,
  takeIds,
} from "../samples/command-samples.js";
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
const ask = (store: GatewayStore, requestId: string, ownerId = "owner", sentAt = sampleTime) =>
  send(store, requestId, { name: updateNow, payload: {}, sentAt }, { ownerId });
const ended: CommandAnswer = { status: "done", result: null, message: null };
const answer = (
  store: GatewayStore,
  commandId: string,
  status: string,
  final: CommandAnswer | null = null,
) => {
  const now = sampleTime + 5;
  const { event } = sampleReport("failed", {
    event: { source: "command", lastResult: status, createdAt: now },
  });
  const update = { status, message: null, event };
  return store.commands.answer({ deviceId, commandId, answer: final, update, now });
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
      await own(a);
      const { cursor } = await b.changes.since(null);
      expect(await ask(a, "one")).toEqual({ kind: "sent" });
      expect(await b.changes.since(cursor)).toMatchObject({ deviceIds: [deviceId] });
      const one = await find(b, "one");
      expect(one).toMatchObject({ name: updateNow, state: "pending" });
      expect(await ask(b, "two")).toEqual({ kind: "repeated", command: one });
      expect(await otaOf(b)).toMatchObject({ command: waiting("one"), isCommandOpen: true });
      expect(await isWaiting(b)).toBe(true);
      expect(await takeIds(b)).toEqual(["one"]);
      expect(await ask(a, "two"), "it is delivered and still waits").toMatchObject({
        kind: "repeated",
        command: { commandId: "one", state: "delivered" },
      });
      expect(await readLaterEvents(a, deviceId)).toHaveLength(1);
    },
  ),

  toRace("update now: concurrent requests get the same command", async (handles) => {
    await own(handles[0]);
    const outcomes = await race(handles, 16, (store, n) => ask(store, `request-${n}`));
    expect(outcomes.filter(({ kind }) => kind === "sent")).toHaveLength(1);
    const [id] = await list(handles[0]);
    for (const outcome of outcomes) {
      if (outcome.kind !== "sent") {
        expect(outcome).toMatchObject({ kind: "repeated", command: { commandId: id } });
      }
    }
    expect(await list(handles[0])).toHaveLength(1);
    expect(await readLaterEvents(handles[0], deviceId)).toHaveLength(1);
  }),

  toCase("update now: returns unknown if the caller is not the owner", async ([a, b]) => {
    expect(await ask(a, "one")).toEqual({ kind: "unknown" });
    await own(a);
    expect(await ask(b, "one", "stranger")).toEqual({ kind: "unknown" });
    expect((await otaOf(a))?.command).toBeNull();
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toCase(
    "update now: stores the device's answers and their events, and no answer to another command",
    async ([a, b]) => {
      await own(a);
      await ask(a, "one");
      expect(await answer(a, "another", "failed", ended)).toEqual({ kind: "unknown" });
      expect(await eventsIn(a)).toEqual([]);
      await answer(b, "one", "downloading");
      await answer(a, "one", "downloading");
      const answered = { ...waiting("one"), status: "downloading", answeredAt: sampleTime + 5 };
      expect(await otaOf(a)).toMatchObject({ command: answered, isCommandOpen: true });
      expect(await find(a, "one")).toMatchObject({
        ...{ state: "delivered", deliveredAt: sampleTime + 5, answer: null, answeredAt: null },
      });
      expect(await answer(b, "one", "no-update", ended)).toMatchObject({
        kind: "answered",
        command: { state: "done", answer: ended, endedAt: sampleTime + 5 },
      });
      const command = await find(a, "one");
      const failed: CommandAnswer = { ...ended, status: "failed" };
      expect(await answer(a, "one", "failed", failed)).toEqual({ kind: "repeated" });
      expect(await find(b, "one"), "a later answer changes no final state").toEqual(command);
      expect((await otaOf(b))?.command?.status).toBe("failed");
      expect(await otaOf(b)).toMatchObject({ isCommandOpen: false });
      expect(await isWaiting(b)).toBe(false);
      expect(await eventsIn(a)).toEqual(["failed", "no-update", "downloading"]);
    },
  ),

  toCase("update now: the next request ends one that goes on", async ([a, b]) => {
    await own(a);
    await ask(a, "one");
    await answer(b, "one", "downloading");
    expect(await ask(a, "two")).toEqual({ kind: "sent" });
    expect(await stateOf(b, "one")).toBe("unknown");
    expect(await stateOf(b, "two")).toBe("pending");
    expect((await otaOf(b))?.command).toEqual(waiting("two"));
    await answer(b, "one", "succeeded", ended);
    expect(await find(b, "one")).toMatchObject({ state: "unknown", answer: ended });
    expect((await otaOf(b))?.command).toEqual(waiting("two"));
  }),

  toCase(
    "update now: a request that was cancelled or expired waits no longer, and its answer is kept",
    async ([a, b]) => {
      await own(a);
      await ask(a, "one");
      expect(await cancel(b, "one")).toMatchObject({ kind: "cancelled" });
      const last = { command: waiting("one"), isCommandOpen: false };
      expect(await otaOf(a)).toMatchObject(last);
      expect(await answer(a, "one", "success", ended)).toEqual({ kind: "unknown" });
      expect(await find(a, "one")).toMatchObject({ state: "cancelled", answer: null });
      expect((await otaOf(a))?.command?.status).toBe("success");
      expect(await eventsIn(b)).toEqual(["success"]);

      await ask(a, "two");
      await a.commands.endDue({ now: sampleTime + 10 * minute, limit: 9 });
      expect(await stateOf(b, "two")).toBe("expired");
      expect(await otaOf(b)).toMatchObject({ command: waiting("two"), isCommandOpen: false });
      expect(await ask(b, "three", "owner", sampleTime + 10 * minute)).toEqual({ kind: "sent" });
    },
  ),

  toCase("update now: is neither full nor revoked, and takes no other's place", async ([a, b]) => {
    await own(a);
    await ask(a, "one");
    expect(await send(b, "blink", {}, { maxOpen: 1 })).toEqual({ kind: "sent" });
    await cancel(b, "one");
    expect(await ask(a, "two")).toEqual({ kind: "sent" });
    const event = sampleSecurityEvent(deviceId, "device.revoked");
    const revoke = () => a.devices.revoke({ deviceId, now: sampleTime, event });
    await revoke();
    expect(await stateOf(b, "two")).toBe("cancelled");
    expect(await otaOf(b)).toMatchObject({ isCommandOpen: false });
    expect(await ask(b, "three")).toEqual({ kind: "sent" });
    await revoke();
    expect(await stateOf(a, "three"), "it waits until the device is reinstated").toBe("pending");
    expect(await otaOf(a)).toMatchObject({ command: waiting("three"), isCommandOpen: true });
  }),

  toCase("update now: the two kinds of answers are not mixed up", async ([a]) => {
    await own(a);
    await ask(a, "one");
    await send(a, "blink");
    await takeIds(a);
    const plain = { deviceId, answer: ended, update: null, now: sampleTime };
    expect(await a.commands.answer({ ...plain, commandId: "one" })).toEqual({ kind: "unknown" });
    expect(await answer(a, "blink", "success", ended)).toEqual({ kind: "unknown" });
    expect([await stateOf(a, "one"), await stateOf(a, "blink")]).toEqual([
      ...["delivered", "delivered"],
    ]);
    expect(await eventsIn(a)).toEqual([]);
  }),

  toCase(
    "update now: releasing the device removes the request and keeps channel and pin",
    async ([a, b]) => {
      const ota = { ...newDeviceOta, channel: "beta", pinnedVersion: "1.0.0" };
      await registerSampleDevice(a, deviceId, { ...sampleOwnership(), ota });
      await ask(a, "one");
      const released = sampleSecurityEvent(deviceId, "device.released");
      await a.claims.release({ deviceId, ownerId: "owner", spendCode: false, event: released });
      expect(await otaOf(b)).toEqual(ota);
      expect(await stateOf(b, "one")).toBe("cancelled");
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
