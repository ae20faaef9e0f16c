import type { GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardDevices } from "../samples/awkward-values.js";
import { registerSampleDevice, sampleEvent, sampleOwnership } from "../samples/samples.js";
import { type StoreCase, toCase } from "../samples/store-case.js";

/** In the order of their UTF-8 bytes. UTF-16 and alphabetical collations order them differently. */
const inOrder = [
  "-",
  ".a",
  "0",
  "10",
  "9",
  "A",
  "B",
  "_",
  "a",
  "a-b",
  "aB",
  "a_b",
  "b",
  "\u00E9",
  "\uFF5E",
  "\u{1F600}",
];

async function listIds(
  store: GatewayStore,
  ownerId: string | null,
  after = "",
  limit = 100,
): Promise<string[]> {
  const devices = await store.devices.list({ ownerId, after, limit });
  return devices.map(({ deviceId }) => deviceId);
}

/** Cases for `DeviceStore.list`. */
export const deviceListCases: readonly StoreCase[] = [
  toCase("list: returns nothing from an empty store", async ([a, b]) => {
    expect(await listIds(a, null)).toEqual([]);
    await registerSampleDevice(a, "gw-1");
    expect(await listIds(b, "owner")).toEqual([]);
    expect(await listIds(b, "")).toEqual([]);
  }),

  toCase("list: returns every device in its current state", async ([a, b]) => {
    for (const device of awkwardDevices) {
      await a.devices.register({ device, event: sampleEvent(device.deviceId) });
    }
    const listed = await b.devices.list({ ownerId: null, after: "", limit: 100 });
    expect(listed).toHaveLength(awkwardDevices.length);
    for (const device of listed) {
      expect(device).toEqual(await a.devices.find(device.deviceId));
    }
  }),

  toCase("list: orders devices by UTF-8 bytes, in pages", async ([a, b]) => {
    for (const deviceId of [...inOrder].reverse()) await registerSampleDevice(a, deviceId);
    expect(await listIds(b, null)).toEqual(inOrder);
    const pages: string[][] = [];
    for (let after = ""; pages.at(-1)?.length !== 0; ) {
      const page = await listIds(b, null, after, 5);
      pages.push(page);
      after = page.at(-1) ?? after;
    }
    expect(pages.map(({ length }) => length)).toEqual([5, 5, 5, 1, 0]);
    expect(pages.flat()).toEqual(inOrder);
    expect(await listIds(a, null, "a-", 2), "after an id that does not exist").toEqual([
      "a-b",
      "aB",
    ]);
  }),

  toCase("list: returns only the devices of an owner, in pages", async ([a, b]) => {
    for (const [n, deviceId] of inOrder.entries()) {
      await registerSampleDevice(
        a,
        deviceId,
        n % 3 === 0 ? {} : sampleOwnership(n % 3 === 1 ? "one" : "two"),
      );
    }
    const ones = inOrder.filter((_, n) => n % 3 === 1);
    expect(await listIds(b, "one")).toEqual(ones);
    expect(await listIds(b, "ONE")).toEqual([]);
    const page = await listIds(a, "one", "", 2);
    expect(page).toEqual(ones.slice(0, 2));
    expect(await listIds(a, "one", page.at(-1), 100)).toEqual(ones.slice(2));
    expect(await listIds(b, null)).toEqual(inOrder);
  }),
];
