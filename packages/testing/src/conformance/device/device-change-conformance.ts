import type {
  DeviceStore,
  GatewayStore,
  OwnedChange,
  RecordOutcome,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
const until = sampleTime + 900_000;

/** A method for the owner or an operator, with the field it sets and its event. */
interface OwnedMethod {
  readonly method: keyof DeviceStore & ("rename" | "openReEnrolment");
  readonly sets: { readonly name: string } | { readonly reEnrolmentUntil: number };
  readonly event: OwnedChange["event"];
  run(store: GatewayStore, change: OwnedChange): Promise<RecordOutcome>;
}

const ownedMethods: readonly OwnedMethod[] = [
  {
    method: "rename",
    sets: { name: "Shed" },
    event: sampleSecurityEvent(deviceId, "device.renamed"),
    run: (store, change) => store.devices.rename({ ...change, name: "Shed" }),
  },
  {
    method: "openReEnrolment",
    sets: { reEnrolmentUntil: until },
    event: sampleSecurityEvent(deviceId, "device.re_enrolment_opened"),
    run: (store, change) => store.devices.openReEnrolment({ ...change, until }),
  },
];

const ownedCases = ownedMethods.flatMap(({ method, sets, event, run }) => [
  toCase(`${method}: accepts the owner or an operator and writes its event`, async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, sampleOwnership());
    const outcomes = [];
    for (const ownerId of ["owner", null]) {
      outcomes.push(await run(b, { deviceId, ownerId, event }));
    }
    expect(outcomes).toEqual([{ kind: "recorded" }, { kind: "recorded" }]);
    expect(await a.devices.find(deviceId)).toEqual({ ...device, ...sets, revision: 3 });
    const { kind, details } = event;
    expect(await readLaterEvents(a, deviceId)).toEqual(Array(2).fill({ kind, details }));
  }),

  toCase(`${method}: returns unknown to other users and for an unknown device`, async ([a, b]) => {
    const owned = await registerSampleDevice(a, deviceId, sampleOwnership());
    const free = await registerSampleDevice(a, "gw-2");
    for (const target of [
      { deviceId, ownerId: "other" },
      { deviceId, ownerId: "" },
      { deviceId, ownerId: "OWNER" },
      { deviceId: "gw-2", ownerId: "owner" },
      { deviceId: "gw-3", ownerId: null },
      { deviceId: "gw-3", ownerId: "owner" },
    ]) {
      expect(await run(b, { ...target, event })).toEqual({ kind: "unknown" });
    }
    expect(await a.devices.find(deviceId)).toEqual(owned);
    expect(await a.devices.find("gw-2")).toEqual(free);
    expect(await a.devices.find("gw-3")).toBeNull();
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),
]);

/** Cases for `DeviceStore`: changes by the owner, and when a device was last seen. */
export const deviceChangeCases: readonly StoreCase[] = [
  ...ownedCases,

  toCase("recordSeen: changes only the time, and never to an earlier one", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId);
    for (const [now, lastSeenAt] of [
      [1_000, 1_000],
      [999, 1_000],
      [1_000, 1_000],
      [sampleTime, sampleTime],
      [0, sampleTime],
    ] as const) {
      await b.devices.recordSeen({ deviceId, now });
      expect(await a.devices.find(deviceId)).toEqual({ ...device, lastSeenAt });
    }
    await a.devices.recordSeen({ deviceId: "gw-2", now: 1 });
    expect(await b.devices.find("gw-2")).toBeNull();
    expect(await readLaterEvents(a, deviceId)).toEqual([]);
  }),

  toRace("recordSeen: many racers leave the latest time", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const device = await registerSampleDevice(handles[0], `gw-${round}`);
      await race(handles, 16, (store, racer) =>
        store.devices.recordSeen({ deviceId: device.deviceId, now: 100 + ((racer + round) % 16) }),
      );
      const found = await handles[1].devices.find(device.deviceId);
      expect(found).toEqual({ ...device, lastSeenAt: 115 });
    }
  }),
];
