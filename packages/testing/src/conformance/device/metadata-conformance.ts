import type {
  DeviceMetadata,
  GatewayStore,
  JsonObject,
  MetadataStore,
} from "@device-gateway/core/store";
import { canonicalJson } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson, awkwardText } from "../samples/awkward-values.js";
import {
  readLaterEvents,
  registerSampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
type Replacement = Parameters<MetadataStore["replace"]>[0];

const metadata = (values: JsonObject): DeviceMetadata => ({
  values,
  setAt: Object.fromEntries(Object.keys(values).map((key) => [key, sampleTime])),
});
const replace = (store: GatewayStore, changes: Partial<Replacement>) =>
  store.metadata.replace({
    ...{ deviceId, expected: null, next: null, index: {} },
    event: sampleSecurityEvent(changes.deviceId ?? deviceId, "device.metadata_changed"),
    ...changes,
  });
/** Sets the site of a device that has no metadata, and indexes it. */
const setSite = (store: GatewayStore, id: string, site: string) =>
  replace(store, { deviceId: id, next: metadata({ site }), index: { site } });
async function idsAt(store: GatewayStore, value: string, key = "site", after = "", limit = 100) {
  const devices = await store.metadata.listDevices({ key, value, after, limit });
  return devices.map((device) => device.deviceId);
}

const writing: readonly StoreCase[] = [
  toCase("metadata: is read back as set, and the event is written", async ([a, b]) => {
    await registerSampleDevice(a, deviceId);
    expect(await b.metadata.find(deviceId)).toBeNull();
    const next = metadata(awkwardJson);
    expect(await replace(a, { next })).toEqual({ kind: "replaced" });
    const found = await b.metadata.find(deviceId);
    expect(canonicalJson(found)).toBe(canonicalJson(next));
    // What was read is what the next change expects.
    expect(await replace(b, { expected: found, next: null })).toEqual({ kind: "replaced" });
    expect(await a.metadata.find(deviceId)).toBeNull();
    const event = { kind: "device.metadata_changed", details: {} };
    expect(await readLaterEvents(a, deviceId)).toEqual([event, event]);
  }),

  toCase("metadata: does not change the device", async ([a, b]) => {
    const device = await registerSampleDevice(a, deviceId, sampleOwnership());
    await setSite(a, deviceId, "Harbour");
    expect(await b.devices.find(deviceId)).toEqual(device);
  }),

  toCase(
    "metadata: returns conflict if it is not the expected, and changes nothing",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId);
      const stored = metadata({ site: "Harbour" });
      expect(await replace(a, { expected: stored })).toEqual({ kind: "conflict" });
      await setSite(a, deviceId, "Harbour");
      for (const expected of [
        null,
        metadata({}),
        metadata({ site: "harbour" }),
        metadata({ site: "Harbour", floor: 1 }),
        { ...stored, setAt: { site: sampleTime + 1 } },
      ]) {
        const outcome = await replace(b, { expected, next: metadata({}), index: { site: "Pier" } });
        expect(outcome).toEqual({ kind: "conflict" });
      }
      expect(await a.metadata.find(deviceId)).toEqual(stored);
      expect(await idsAt(a, "Harbour")).toEqual([deviceId]);
      expect(await idsAt(a, "Pier")).toEqual([]);
      expect(await readLaterEvents(b, deviceId)).toHaveLength(1);
    },
  ),

  toCase("metadata: returns unknown for an unknown device and writes nothing", async ([a, b]) => {
    const input = { next: metadata({ site: "Pier" }), index: { site: "Pier" } };
    expect(await replace(a, input)).toEqual({ kind: "unknown" });
    expect(await b.metadata.find(deviceId)).toBeNull();
    expect(await b.securityEvents.list({ after: 0, limit: 9 })).toEqual([]);
    await registerSampleDevice(a, deviceId);
    expect(await idsAt(a, "Pier")).toEqual([]);
  }),

  toRace("metadata: exactly one of many racers replaces it", async (handles) => {
    await registerSampleDevice(handles[0], deviceId);
    let expected: DeviceMetadata | null = null;
    for (let round = 0; round < 8; round++) {
      const before: DeviceMetadata | null = expected;
      const nextOf = (racer: number) => metadata({ round, racer });
      const outcomes = await race(handles, 16, (store, racer) =>
        replace(store, {
          expected: before,
          next: nextOf(racer),
          index: { racer: `${round}-${racer}` },
        }),
      );
      const winner = onlyIndexOf(outcomes, "replaced");
      expect(winner, "the only winner").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "conflict")).toHaveLength(15);
      expected = nextOf(winner);
      expect(await handles[1].metadata.find(deviceId)).toEqual(expected);
      expect(await idsAt(handles[0], `${round}-${winner}`, "racer")).toEqual([deviceId]);
      expect(await readLaterEvents(handles[1], deviceId)).toHaveLength(round + 1);
    }
  }),
];

const finding: readonly StoreCase[] = [
  toCase("metadata: devices are found by an exact value of a key, in pages", async ([a, b]) => {
    const ids = ["-", "10", "9", "A", "B", "a", "\u00E9", "\uFF5E", "\u{1F600}"];
    for (const id of ids.toReversed()) {
      await registerSampleDevice(a, id);
      await setSite(a, id, id === "B" ? "pier" : "Pier");
    }
    await registerSampleDevice(a, "without");
    const atPier = ids.filter((id) => id !== "B");
    expect(await idsAt(b, "Pier")).toEqual(atPier);
    expect(await idsAt(b, "pier")).toEqual(["B"]);
    expect(await idsAt(a, "Pier", "site", "", 3)).toEqual(atPier.slice(0, 3));
    expect(await idsAt(a, "Pier", "site", "9", 3)).toEqual(atPier.slice(3, 6));
    expect(await idsAt(a, "Pier", "site", "99", 1), "after an id that does not exist").toEqual([
      "A",
    ]);
    for (const [value, key] of [
      ["Pier", "Site"],
      ["Pier", "toString"],
      ["Pie", "site"],
      ["", "site"],
      ["%", "site"],
    ] as const) {
      expect(await idsAt(a, value, key)).toEqual([]);
    }
  }),

  toCase("metadata: devices are listed in their current state", async ([a, b]) => {
    const changes = { ...sampleOwnership(), name: "Boat", lastTelemetryAt: 5, lastSeenAt: 9 };
    await registerSampleDevice(a, deviceId, changes);
    await setSite(a, deviceId, awkwardText);
    const [listed] = await b.metadata.listDevices({
      ...{ key: "site", value: awkwardText, after: "", limit: 5 },
    });
    expect(listed).toEqual(await a.devices.find(deviceId));
  }),

  toCase("metadata: a change replaces all index entries of the device", async ([a, b]) => {
    for (const id of [deviceId, "gw-2"]) await registerSampleDevice(a, id);
    await setSite(a, "gw-2", "Pier");
    const first = metadata({ site: "Pier", floor: 1 });
    await replace(a, { next: first, index: { site: "Pier", floor: "1" } });
    expect(await idsAt(b, "Pier")).toEqual([deviceId, "gw-2"]);
    const second = metadata({ site: "Dock" });
    await replace(b, { expected: first, next: second, index: { site: "Dock" } });
    expect(await idsAt(a, "Pier")).toEqual(["gw-2"]);
    expect(await idsAt(a, "Dock")).toEqual([deviceId]);
    expect(await idsAt(a, "1", "floor")).toEqual([]);
    await replace(a, { expected: second });
    expect(await idsAt(b, "Dock")).toEqual([]);
  }),
];

const removing: readonly StoreCase[] = [
  toCase("metadata: stays when the device is released", async ([a, b]) => {
    await registerSampleDevice(a, deviceId, sampleOwnership());
    await setSite(a, deviceId, "Pier");
    const event = sampleSecurityEvent(deviceId, "device.released");
    await b.claims.release({ deviceId, ownerId: "owner", spendCode: false, event });
    expect(await a.metadata.find(deviceId)).toEqual(metadata({ site: "Pier" }));
    expect(await idsAt(a, "Pier")).toEqual([deviceId]);
  }),

  toCase("metadata: is deleted with the device", async ([a, b]) => {
    for (const id of ["erased", "dropped", "kept"]) {
      await registerSampleDevice(a, id, { registeredAt: id === "dropped" ? 0 : sampleTime });
      await setSite(a, id, "Pier");
    }
    const event = sampleSecurityEvent("erased", "device.erased");
    await b.devices.erase({ deviceId: "erased", block: false, event });
    const drop = { ...sampleEvent(""), kind: "device.dropped" } as const;
    await b.devices.dropUnused({ deviceId: null, registeredBefore: 1, limit: 9, event: drop });
    for (const id of ["erased", "dropped"]) {
      expect(await a.metadata.find(id)).toBeNull();
      await registerSampleDevice(b, id);
      expect(await a.metadata.find(id)).toBeNull();
    }
    expect(await idsAt(a, "Pier")).toEqual(["kept"]);
    expect(await setSite(a, "erased", "Dock")).toEqual({ kind: "replaced" });
  }),

  toRace(
    "metadata: an erased device leaves none of a change at the same moment",
    async (handles) => {
      for (let round = 0; round < 8; round++) {
        const id = `gw-${round}`;
        await registerSampleDevice(handles[0], id);
        const event = sampleSecurityEvent(id, "device.erased");
        await race<unknown>(handles, 8, (store, racer) =>
          racer === round
            ? store.devices.erase({ deviceId: id, block: false, event })
            : replace(store, { deviceId: id, next: metadata({ racer }), index: { site: "Pier" } }),
        );
        await registerSampleDevice(handles[0], id);
        expect(await handles[1].metadata.find(id)).toBeNull();
        expect(await idsAt(handles[1], "Pier")).toEqual([]);
      }
    },
  ),
];

/** Cases for `MetadataStore`. */
export const metadataCases: readonly StoreCase[] = [...writing, ...finding, ...removing];
