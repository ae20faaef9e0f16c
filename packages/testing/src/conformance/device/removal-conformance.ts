import type { GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readLaterEvents,
  readRecordValues,
  readSecurityEvents,
  registerSampleDevice,
  sampleAppendOnce,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
const append = (store: GatewayStore, id: string) =>
  store.telemetry.append({
    deviceId: id,
    receivedAt: sampleTime,
    records: [sampleRecord()],
    once: sampleAppendOnce("key"),
  });
const erase = (store: GatewayStore, id: string, block = false) =>
  store.devices.erase({ deviceId: id, block, event: sampleSecurityEvent(id, "device.erased") });
const { deviceId: _, ...dropped } = sampleSecurityEvent("", "device.dropped");
const drop = (store: GatewayStore, id: string | null, limit = 10, registeredBefore = sampleTime) =>
  store.devices.dropUnused({ deviceId: id, registeredBefore, limit, event: dropped });

const eraseCases: readonly StoreCase[] = [
  toCase("erase: deletes the device's data and keeps its security events", async ([a, b]) => {
    const overrides = { configOverrides: { values: { a: 1 }, revision: 3 } };
    for (const id of [deviceId, "gw-2"]) {
      await registerSampleDevice(a, id, { ...sampleOwnership(), ...overrides });
      await append(a, id);
    }
    const others = await b.devices.find("gw-2");
    expect(await erase(b, deviceId)).toEqual({ kind: "recorded" });
    expect(await a.devices.find(deviceId)).toBeNull();
    expect(await readRecordValues(a, deviceId)).toEqual([]);
    expect(await a.telemetry.latest([{ deviceId, from: 0 }])).toEqual([null]);
    const kinds = (await readSecurityEvents(a, deviceId)).map(({ kind }) => kind);
    expect(kinds).toEqual(["device.registered", "device.erased"]);
    expect(await a.devices.find("gw-2")).toEqual(others);
    expect(await readRecordValues(a, "gw-2")).toHaveLength(1);
    expect(await a.devices.list({ ownerId: "owner", after: "", limit: 9 })).toHaveLength(1);
  }),

  toCase("erase: frees the id, and a new device shows no earlier data", async ([a, b]) => {
    await registerSampleDevice(a, deviceId, sampleOwnership());
    await append(a, deviceId);
    await erase(a, deviceId);
    const device = sampleDevice(deviceId);
    const event = sampleEvent(deviceId);
    expect(await b.devices.register({ device, event })).toEqual({ kind: "registered" });
    expect(await a.devices.find(deviceId)).toEqual(device);
    expect(await append(b, deviceId)).toEqual({ kind: "appended", verdicts: ["stored"] });
    expect(await readRecordValues(a, deviceId)).toHaveLength(1);
  }),

  toCase("erase: blocks the id on request", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    expect(await erase(a, deviceId, true)).toEqual({ kind: "recorded" });
    for (const store of [a, b]) {
      const registration = { device: sampleDevice(deviceId), event: sampleEvent(deviceId) };
      expect(await store.devices.register(registration)).toEqual({ kind: "blocked" });
    }
    expect(await a.devices.find(deviceId)).toBeNull();
    expect(await readLaterEvents(a, deviceId)).toHaveLength(1);
    const other = { device: sampleDevice("GW-1"), event: sampleEvent("GW-1") };
    expect(await b.devices.register(other)).toEqual({ kind: "registered" });
  }),

  toCase("erase: returns unknown for an unknown device and blocks nothing", async ([a, b]) => {
    expect(await erase(a, deviceId, true)).toEqual({ kind: "unknown" });
    expect(await readSecurityEvents(a, deviceId)).toEqual([]);
    const registration = { device: sampleDevice(deviceId), event: sampleEvent(deviceId) };
    expect(await b.devices.register(registration)).toEqual({ kind: "registered" });
  }),

  toRace("erase: exactly one of many racers erases the device", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id);
      const outcomes = await race(handles, 16, (store) => erase(store, id, round % 2 === 0));
      expect(onlyIndexOf(outcomes, "recorded"), "the only one").not.toBe(-1);
      expect(await readLaterEvents(handles[1], id)).toHaveLength(1);
    }
  }),

  toRace("erase: leaves no data of concurrent calls", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id);
      await race<unknown>(handles, 8, (store, racer) =>
        racer === round ? erase(store, id) : append(store, id),
      );
      expect(await readRecordValues(handles[1], id)).toEqual([]);
      expect(await handles[0].devices.find(id)).toBeNull();
    }
  }),
];

const dropCases: readonly StoreCase[] = [
  toCase("dropUnused: keeps new, used, owned and revoked devices", async ([a, b]) => {
    const registeredAt = sampleTime - 1;
    await registerSampleDevice(a, "old", { registeredAt });
    await registerSampleDevice(a, "released", { registeredAt, ownedBefore: true });
    await registerSampleDevice(a, "young");
    await registerSampleDevice(a, "used", { registeredAt, firstUsedAt: 0 });
    await registerSampleDevice(a, "owned", { registeredAt, ...sampleOwnership() });
    await registerSampleDevice(a, "revoked", { registeredAt, revokedAt: 0 });
    await append(a, "old");
    expect([...(await drop(b, null))].sort()).toEqual(["old", "released"]);
    const left = await a.devices.list({ ownerId: null, after: "", limit: 10 });
    expect(left.map((device) => device.deviceId)).toEqual(["owned", "revoked", "used", "young"]);
    for (const id of ["old", "released"]) {
      expect(await readLaterEvents(a, id)).toEqual([{ kind: "device.dropped", details: {} }]);
    }
    expect(await readRecordValues(a, "old")).toEqual([]);
    for (const { deviceId: id } of left) expect(await readLaterEvents(a, id)).toEqual([]);
    expect(await drop(a, null)).toEqual([]);
  }),

  toCase("dropUnused: keeps a device that got a credential since", async ([a, b]) => {
    const registeredAt = sampleTime - 2;
    const credential = { secretHash: "s", epoch: 2, issuedAt: sampleTime };
    await registerSampleDevice(a, "current", { registeredAt, credential });
    for (const issuedAt of [sampleTime - 1, sampleTime]) {
      const pendingCredential = { ...credential, epoch: 3, issuedAt, isRotation: false };
      await registerSampleDevice(a, `pending-${issuedAt}`, { registeredAt, pendingCredential });
    }
    expect(await drop(b, "current")).toEqual([]);
    expect(await drop(b, `pending-${sampleTime}`)).toEqual([]);
    expect(await drop(b, null)).toEqual([`pending-${sampleTime - 1}`]);
    expect(await drop(b, null, 10, sampleTime + 1)).toHaveLength(2);
  }),

  toCase("dropUnused: drops the oldest devices, up to the limit", async ([a, b]) => {
    for (let n = 0; n < 6; n++) {
      await registerSampleDevice(a, `gw-${n}`, { registeredAt: sampleTime - 100 + ((n * 5) % 6) });
    }
    expect([...(await drop(b, null, 4))].sort()).toEqual(["gw-0", "gw-3", "gw-4", "gw-5"]);
    expect([...(await drop(a, null, 4))].sort()).toEqual(["gw-1", "gw-2"]);
  }),

  toCase("dropUnused: drops only the given device and frees its id", async ([a, b]) => {
    for (const id of [deviceId, "gw-2"]) await registerSampleDevice(a, id);
    await registerSampleDevice(a, "gw-3", { firstUsedAt: 1 });
    expect(await drop(b, deviceId, 1, sampleTime)).toEqual([]);
    for (const id of ["gw-3", "gw-4", "GW-1"]) {
      expect(await drop(b, id, 1, sampleTime + 1)).toEqual([]);
    }
    expect(await drop(b, deviceId, 1, sampleTime + 1)).toEqual([deviceId]);
    expect(await a.devices.find(deviceId)).toBeNull();
    expect(await a.devices.find("gw-2")).not.toBeNull();
    const again = { device: sampleDevice(deviceId), event: sampleEvent(deviceId) };
    expect(await a.devices.register(again)).toEqual({ kind: "registered" });
  }),

  toRace("dropUnused: many racers drop each device once", async (handles) => {
    const ids = Array.from({ length: 30 }, (_unused, n) => `gw-${n}`);
    for (const id of ids) await registerSampleDevice(handles[0], id, { registeredAt: 0 });
    const outcomes = await race(handles, 16, (store) => drop(store, null, 7));
    expect(outcomes.flat().sort()).toEqual([...ids].sort());
    for (const id of ids) expect(await readLaterEvents(handles[1], id)).toHaveLength(1);
  }),

  toRace("dropUnused: never drops a device that is used at the same moment", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(handles[0], id, { registeredAt: 0 });
      const event = sampleSecurityEvent(id, "device.credential_promoted");
      const [ids, used] = await Promise.all([
        drop(handles[round % 2 ? 1 : 0], id),
        handles[round % 2 ? 0 : 1].devices.recordUse({ deviceId: id, epoch: 1, now: 5, event }),
      ]);
      expect(used).toEqual({ kind: ids.length === 0 ? "recorded" : "unknown" });
      expect((await handles[0].devices.find(id)) === null).toBe(ids.length === 1);
    }
  }),

  toRace(
    "dropUnused: never drops a device that registers again at the same moment",
    async (handles) => {
      for (let round = 0; round < 8; round++) {
        const id = `gw-${round}`;
        const { credential, ...device } = await registerSampleDevice(handles[0], id, {
          registeredAt: 0,
        });
        const pending = { ...credential, epoch: 2, issuedAt: sampleTime, isRotation: false };
        const rotation = {
          ...{ ...device, expectedRevision: 1, pending },
          ...{ closeReEnrolment: false, event: sampleSecurityEvent(id, "device.registered_again") },
        };
        const outcomes = await race<unknown>(handles, 2, (store, racer) =>
          (racer + round) % 2 === 0 ? drop(store, id) : store.devices.rotate(rotation),
        );
        const isGone = (await handles[0].devices.find(id)) === null;
        const expected = isGone ? [[id], { kind: "conflict" }] : [[], { kind: "rotated" }];
        expect(outcomes).toEqual(expect.arrayContaining(expected));
      }
    },
  ),
];

/** Cases for `DeviceStore`: erase and dropUnused. */
export const removalCases: readonly StoreCase[] = [...eraseCases, ...dropCases];
