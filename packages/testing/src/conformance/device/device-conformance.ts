import { canonicalJson } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardDevices } from "../samples/awkward-values.js";
import { readSecurityEvents, sampleDevice, sampleEvent, sampleTime } from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const now = sampleTime;

/** Cases for `DeviceStore`: find, register and profiles. */
export const deviceCases: readonly StoreCase[] = [
  toCase("find: returns null for an unknown device", async ([a, b]) => {
    await a.devices.register({ device: sampleDevice("gw-1"), event: sampleEvent("gw-1") });
    for (const other of ["GW-1", "gw-1 ", "gw-", "gw-10", "", "' OR '1'='1"]) {
      expect(await a.devices.find(other)).toBeNull();
      expect(await b.devices.find(other)).toBeNull();
    }
  }),

  toCase("find: returns every field as registered", async ([a, b]) => {
    for (const device of awkwardDevices) {
      const outcome = await a.devices.register({ device, event: sampleEvent(device.deviceId) });
      expect(outcome).toEqual({ kind: "registered" });
    }
    for (const device of awkwardDevices) {
      expect(canonicalJson(await b.devices.find(device.deviceId))).toBe(canonicalJson(device));
    }
  }),

  toCase("find: returns the last written state through either handle", async ([a, b]) => {
    const device = sampleDevice("gw-1");
    const profile = { ...device.profile, firmwareVersion: "0.2.0" };
    expect(await b.devices.find("gw-1")).toBeNull();
    await a.devices.register({ device, event: sampleEvent("gw-1") });
    expect(await b.devices.find("gw-1")).toEqual(device);
    await b.devices.recordProfile({ deviceId: "gw-1", profile, now });
    expect(await a.devices.find("gw-1")).toEqual({ ...device, profile });
    const values = { telemetryIntervalSeconds: 10 };
    const event = sampleEvent("gw-1");
    const change = { deviceId: "gw-1", ownerId: null, values, expectedRevision: 0, event };
    await a.config.replaceOverrides(change);
    const configOverrides = { values, revision: 1 };
    expect(await b.devices.find("gw-1")).toEqual({ ...device, profile, configOverrides });
  }),

  toCase("find: changes to the caller's objects do not change the stored device", async ([a]) => {
    const device = sampleDevice("gw-1", {
      configOverrides: { values: { list: [1] }, revision: 0 },
    });
    const before = structuredClone(device);
    await a.devices.register({ device, event: sampleEvent("gw-1") });
    (device.configOverrides.values.list as number[]).push(2);
    const found = await a.devices.find("gw-1");
    (found?.profile.capabilities as Record<string, boolean>).ble = false;
    expect(await a.devices.find("gw-1")).toEqual(before);
  }),

  toCase("register: writes the device together with its security event", async ([a, b]) => {
    const event = sampleEvent("gw-1", { firmwareVersion: "0.1.10" });
    await a.devices.register({ device: sampleDevice("gw-1"), event });
    expect(await readSecurityEvents(b, "gw-1")).toEqual([{ ...event, id: expect.any(Number) }]);
  }),

  toCase("register: changes nothing if the device exists", async ([a, b]) => {
    const device = sampleDevice("gw-1");
    await a.devices.register({ device, event: sampleEvent("gw-1", { attempt: 1 }) });
    const other = sampleDevice("gw-1", {
      credential: { secretHash: "other", epoch: 9, issuedAt: 0 },
    });
    for (const store of [a, b]) {
      const event = sampleEvent("gw-1", { attempt: 2 });
      expect(await store.devices.register({ device: other, event })).toEqual({ kind: "exists" });
    }
    expect(await a.devices.find("gw-1")).toEqual(device);
    expect(await readSecurityEvents(a, "gw-1")).toMatchObject([{ details: { attempt: 1 } }]);
  }),

  toRace("register: exactly one of many racers wins, and writes its event", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const deviceId = `gw-${round}`;
      const deviceOf = (racer: number) =>
        sampleDevice(deviceId, {
          credential: { secretHash: `secret-${racer}`, epoch: racer, issuedAt: 0 },
        });
      const outcomes = await race(handles, 16, (store, racer) =>
        store.devices.register({
          device: deviceOf(racer),
          event: sampleEvent(deviceId, { racer }),
        }),
      );
      const winner = onlyIndexOf(outcomes, "registered");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "exists")).toHaveLength(15);
      expect(await handles[0].devices.find(deviceId)).toEqual(deviceOf(winner));
      expect(await readSecurityEvents(handles[1], deviceId)).toMatchObject([
        { details: { racer: winner } },
      ]);
    }
  }),

  toCase("recordProfile: replaces the profile and nothing else", async ([a, b]) => {
    for (const device of awkwardDevices) {
      await a.devices.register({ device, event: sampleEvent(device.deviceId) });
      for (const { profile } of awkwardDevices) {
        const outcome = await b.devices.recordProfile({ deviceId: device.deviceId, profile, now });
        expect(outcome).toEqual({ kind: "recorded" });
        const found = await a.devices.find(device.deviceId);
        expect(canonicalJson(found)).toBe(canonicalJson({ ...device, profile }));
      }
    }
  }),

  toCase("recordProfile: returns unknown for an unknown device and inserts none", async ([a]) => {
    const { profile } = sampleDevice("gw-1");
    const outcome = await a.devices.recordProfile({ deviceId: "gw-1", profile, now });
    expect(outcome).toEqual({ kind: "unknown" });
    expect(await a.devices.find("gw-1")).toBeNull();
  }),

  toRace("recordProfile: does not undo a concurrent change", async (handles) => {
    const [store] = handles;
    for (let round = 0; round < 8; round++) {
      const deviceId = `gw-${round}`;
      const event = sampleEvent(deviceId);
      const device = sampleDevice(deviceId);
      await store.devices.register({ device, event });
      const values = { round };
      const profile = { ...device.profile, firmwareVersion: `1.0.${round}` };
      await race<unknown>(handles, 2, (racing, racer) =>
        (racer + round) % 2 === 0
          ? racing.devices.recordProfile({ deviceId, profile, now })
          : racing.config.replaceOverrides({
              deviceId,
              ownerId: null,
              values,
              expectedRevision: 0,
              event,
            }),
      );
      const configOverrides = { values, revision: 1 };
      expect(await store.devices.find(deviceId)).toEqual({ ...device, profile, configOverrides });
    }
  }),
];
