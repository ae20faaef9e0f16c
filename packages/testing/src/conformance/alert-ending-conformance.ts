import type { Alert, GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  alertEvent,
  createRule,
  firing,
  judge,
  sampleAlert,
  sampleAlertRule,
  sampleWatch,
} from "./samples/alert-samples.js";
import {
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples/samples.js";
import { type StoreCase, toCase } from "./samples/store-case.js";

const everything = { ownerId: "owner", deviceId: null, firing: false, before: null, limit: 9 };

/** Registers the device gw-1 with two alerts that have cleared: "a1" of its owner and "a2" of the operators. */
async function leaveAlerts(store: GatewayStore): Promise<{ readonly ofFleet: Alert }> {
  await registerSampleDevice(store, "gw-1", sampleOwnership());
  await createRule(store, sampleAlertRule("all"));
  await createRule(store, sampleAlertRule("fleet", { ownerId: null }));
  const mine = sampleAlert("a1", { ruleId: "all" });
  const ofFleet = sampleAlert("a2", { ruleId: "fleet", ownerId: null });
  const event = alertEvent("alert.cleared");
  const at = sampleTime + 1;
  const clearings = [mine, ofFleet].map(({ id }) => ({
    ...{ kind: "cleared" as const, alertId: id, at, event, notification: null },
  }));
  await judge(store, [firing(mine), firing(ofFleet), ...clearings]);
  return { ofFleet: { ...ofFleet, clearedAt: at } };
}

/** Cases for alerts that have cleared before their device is released or erased. */
export const alertEndingCases: readonly StoreCase[] = [
  toCase("alerts: an owner who claims a device again has no earlier alerts", async ([a, b]) => {
    const { ofFleet } = await leaveAlerts(a);
    await b.alerts.mute({ id: "a1", until: sampleTime + 99_000 });
    const release = sampleSecurityEvent("gw-1", "device.released");
    await a.claims.release({
      deviceId: "gw-1",
      ownerId: "owner",
      spendCode: false,
      event: release,
    });
    const [now, event] = [sampleTime + 5, sampleSecurityEvent("gw-1", "device.assigned")];
    await a.claims.assign({ deviceId: "gw-1", ownerId: "owner", now, event });
    expect(await b.alerts.list(everything)).toEqual([]);
    expect(await b.alerts.find("a1")).toBeNull();
    const acknowledgement = { id: "a1", by: "owner", at: now };
    expect(await b.alerts.acknowledge(acknowledgement)).toEqual({ kind: "unknown" });
    expect(await b.alerts.mute({ id: "a1", until: null })).toEqual({ kind: "unknown" });
    const later = sampleAlert("a3", { ruleId: "all", firedAt: sampleTime + 9 });
    await judge(a, [firing(later)], {
      watch: sampleWatch("gw-1", { revision: 2 }),
      ...{ expectedRevision: 1, owner: { ownerId: "owner", claimedAt: now } },
    });
    expect(await b.alerts.list(everything)).toEqual([later]);
    expect(await b.alerts.list({ ...everything, ownerId: null })).toEqual([ofFleet]);
  }),

  toCase("alerts: a device with the id of an erased one has none of its alerts", async ([a, b]) => {
    await leaveAlerts(a);
    const event = sampleSecurityEvent("gw-1", "device.erased");
    await b.devices.erase({ deviceId: "gw-1", block: false, event });
    await registerSampleDevice(a, "gw-1", sampleOwnership());
    for (const ownerId of ["owner", null]) {
      expect(await a.alerts.list({ ...everything, ownerId })).toEqual([]);
      expect(await b.alerts.list({ ...everything, ownerId, deviceId: "gw-1" })).toEqual([]);
    }
    for (const id of ["a1", "a2"]) expect(await b.alerts.find(id)).toBeNull();
  }),
];
