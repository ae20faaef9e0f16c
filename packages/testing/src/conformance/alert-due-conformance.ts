import {
  type DueDevice,
  type DuePage,
  type GatewayStore,
  mostAheadMs,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  alertEvent,
  createRule,
  judge,
  registerWatchedDevice,
  sampleAlertRule,
  sampleWatch,
} from "./samples/alert-samples.js";
import { registerSampleDevice, sampleOwnership, sampleTime } from "./samples/samples.js";
import { type StoreCase, toCase } from "./samples/store-case.js";

const later = sampleTime + 60_000;

/** Reads all pages of `due`. Sorts the devices by id. */
async function allDue(store: GatewayStore, now: number, limit = 9, everyone = false) {
  const devices: DueDevice[] = [];
  let [watched, overdue] = [0, 0];
  for (let after: string | null = ""; after !== null; ) {
    const page: DuePage = await store.alerts.due({ after, now, limit, everyone });
    expect(page.devices.length).toBeLessThanOrEqual(limit);
    devices.push(...page.devices);
    watched += page.watched;
    overdue += page.overdue;
    after = page.next;
  }
  devices.sort((a, b) => (a.device.deviceId < b.device.deviceId ? -1 : 1));
  return { devices, watched, overdue };
}

/** Cases for `AlertStore.due`: which devices are judged next. */
export const alertDueCases: readonly StoreCase[] = [
  toCase("due: finds the devices that rules apply to, in pages", async ([a, b]) => {
    for (const [id, owner] of [
      ["a", "owner"],
      ["b", "other"],
      ["c", "owner"],
      ["d", "owner"],
    ] as const) {
      await registerSampleDevice(a, id, {
        ...sampleOwnership(owner),
        revokedAt: id === "c" ? 5 : null,
      });
    }
    await registerSampleDevice(a, "e");
    const dueIds = async (limit: number) =>
      (await allDue(b, sampleTime, limit)).devices.map(({ device }) => device.deviceId);
    expect(await dueIds(9)).toEqual([]);
    await createRule(a, sampleAlertRule("rule-1"));
    for (const limit of [1, 2, 9]) expect(await dueIds(limit)).toEqual(["a", "d"]);
    await createRule(a, sampleAlertRule("rule-2", { ownerId: null }));
    expect(await dueIds(2)).toEqual(["a", "b", "d", "e"]);
    const [first] = (await allDue(b, sampleTime, 1)).devices;
    expect(first).toEqual({ device: await a.devices.find("a"), watch: null });
  }),

  toCase("due: a device is due by its time, or when it sends again", async ([a, b]) => {
    await registerWatchedDevice(a);
    await registerSampleDevice(a, "gw-2", sampleOwnership());
    const dueAt = later + 1_000;
    const watch = sampleWatch("gw-1", { receivedAt: later, dueAt, silentAt: later + 500 });
    await judge(a, [], { watch });
    await judge(a, [], { watch: sampleWatch("gw-2", { receivedAt: later, dueAt }) });
    const due = async (now: number) => {
      const { devices, watched, overdue } = await allDue(b, now);
      return [devices.map(({ device }) => device.deviceId), watched, overdue];
    };
    expect(await due(later)).toEqual([[], 1, 0]);
    expect(await due(later + 500)).toEqual([[], 1, 1]);
    expect(await due(dueAt)).toEqual([["gw-1", "gw-2"], 1, 1]);
    const send = (receivedAt: number) =>
      a.telemetry.append({
        ...{ deviceId: "gw-2", receivedAt, once: null },
        records: [{ at: receivedAt, seq: null, isTimed: false, value: { soc: 50 } }],
      });
    await send(later);
    expect(await due(later)).toEqual([[], 1, 0]);
    await send(later + 1);
    expect(await due(later + 1)).toEqual([["gw-2"], 1, 0]);
    const [found] = (await allDue(b, later + 1)).devices;
    expect(found?.watch).toEqual(sampleWatch("gw-2", { receivedAt: later, dueAt }));
    expect(found?.device.lastTelemetryAt).toBe(later + 1);
  }),

  toCase("due: a device is due if a clock far ahead judged it", async ([a, b]) => {
    await registerWatchedDevice(a);
    const dueAt = later + mostAheadMs;
    await judge(a, [], { watch: sampleWatch("gw-1", { receivedAt: dueAt, dueAt }) });
    expect((await allDue(b, later)).devices).toHaveLength(0);
    expect((await allDue(b, later - 1)).devices).toHaveLength(1);
  }),

  toCase(
    "due: with everyone, a device without rules is due when it sends any request",
    async ([a, b]) => {
      for (const id of ["gw-1", "gw-2", "gw-3"]) {
        await registerSampleDevice(a, id, { revokedAt: id === "gw-3" ? 5 : null });
      }
      const due = async (everyone: boolean) => {
        const page = await allDue(b, later, 9, everyone);
        return [page.devices.map(({ device }) => device.deviceId), page.watched];
      };
      expect(await due(false)).toEqual([[], 0]);
      expect(await due(true)).toEqual([["gw-1", "gw-2"], 0]);
      const event = alertEvent("device.online");
      for (const id of ["gw-1", "gw-2"]) {
        const watch = sampleWatch(id, { receivedAt: later, dueAt: later + 1_000 });
        const transitions = id === "gw-1" ? [{ kind: "presence", event } as const] : [];
        await a.alerts.judge({ watch, expectedRevision: null, owner: null, transitions });
      }
      expect(await due(true)).toEqual([[], 0]);
      await a.devices.recordSeen({ deviceId: "gw-2", now: later });
      expect(await due(true)).toEqual([[], 0]);
      await a.devices.recordSeen({ deviceId: "gw-2", now: later + 1 });
      expect(await due(true)).toEqual([["gw-2"], 0]);
      expect(await due(false)).toEqual([[], 0]);
      const written = await b.securityEvents.list({
        ...{ after: 0, limit: 9, kinds: ["device.online"] },
      });
      expect(written).toMatchObject([event]);
    },
  ),
];
