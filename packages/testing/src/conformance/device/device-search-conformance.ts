import type { GatewayStore, SearchKey, SearchPlace } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  registerSampleDevice,
  sampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { type StoreCase, toCase } from "../samples/store-case.js";

type Search = Parameters<GatewayStore["devices"]["search"]>[0];

async function idsOf(store: GatewayStore, by: SearchKey, changes: Partial<Search> = {}) {
  const whole = { from: "", to: "\u{10ffff}", after: null, limit: 100 };
  const found = await store.devices.search({ by, ...whole, ...changes });
  return found.map(({ deviceId }) => deviceId);
}
const exactly = (text: string) => ({ from: text, to: text });
const beginning = (text: string) => ({ from: text, to: `${text}\u{10ffff}` });
const { profile } = sampleDevice("any");

/** Cases for `DeviceStore.search` and `DeviceStore.listMarked`. */
export const deviceSearchCases: readonly StoreCase[] = [
  toCase("search: finds devices by each text, whole or by its beginning", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1", { ...sampleOwnership("ann"), name: "Pump 1" });
    await registerSampleDevice(a, "gw-2", { ...sampleOwnership("anna"), name: "Pump 10" });
    const changed = { ...profile, targetHardware: "gw-20", firmwareVersion: "0.2.0" };
    await registerSampleDevice(a, "gw-3", { profile: changed });
    const found = async (by: SearchKey, range: Partial<Search>) =>
      (await idsOf(b, by, range)).join();
    expect(await found("name", exactly("Pump 1"))).toBe("gw-1");
    expect(await found("name", beginning("Pump"))).toBe("gw-1,gw-2");
    expect(await found("name", beginning(""))).toBe("gw-1,gw-2");
    expect(await found("name", exactly("pump 1"))).toBe("");
    expect(await found("ownerId", exactly("ann"))).toBe("gw-1");
    expect(await found("ownerId", beginning("ann"))).toBe("gw-1,gw-2");
    expect(await found("targetHardware", exactly("gw-2"))).toBe("gw-1,gw-2");
    expect(await found("targetHardware", beginning("gw-20"))).toBe("gw-3");
    expect(await found("firmwareVersion", exactly("0.2.0"))).toBe("gw-3");
    expect(await found("firmwareVersion", beginning("0."))).toBe("gw-1,gw-2,gw-3");
    const [device] = await a.devices.search({
      by: "name",
      ...exactly("Pump 1"),
      after: null,
      limit: 1,
    });
    expect(device).toEqual(await b.devices.find("gw-1"));
    const event = sampleSecurityEvent("gw-1", "device.renamed");
    await a.devices.rename({ deviceId: "gw-1", ownerId: null, name: "Tank", event });
    expect(await found("name", exactly("Tank"))).toBe("gw-1");
    expect(await found("name", beginning("Pump"))).toBe("gw-2");
  }),

  toCase("search: orders by the bytes of the text, then of the id, in pages", async ([a, b]) => {
    const names = ["Z", "a", "\u00e9", "\uff5e", "\u{1f600}"];
    const inOrder = names.flatMap((name) =>
      ["1", "2"].map((id) => ({ name, id: `${id}-${name}` })),
    );
    for (const { name, id } of inOrder.toReversed()) await registerSampleDevice(a, id, { name });
    await registerSampleDevice(a, "unnamed");
    const ids = inOrder.map(({ id }) => id);
    expect(await idsOf(b, "name")).toEqual(ids);
    const seen: string[] = [];
    let after: SearchPlace | null = null;
    for (;;) {
      const page: string[] = await idsOf(b, "name", { after, limit: 3 });
      if (page.length === 0) break;
      seen.push(...page);
      const deviceId = page.at(-1) ?? "";
      after = { value: inOrder.find(({ id }) => id === deviceId)?.name ?? "", deviceId };
    }
    expect(seen).toEqual(ids);
    const gone = { value: "a", deviceId: "1-a-gone" };
    expect(await idsOf(a, "name", { ...exactly("a"), after: gone })).toEqual(["2-a"]);
  }),

  toCase(
    "listMarked: lists revoked devices, and those that nobody owns, in pages",
    async ([a, b]) => {
      for (const id of ["a", "b", "c", "d"]) {
        const isOwned = id < "c" ? sampleOwnership() : {};
        await registerSampleDevice(a, id, {
          ...isOwned,
          ...(id !== "b" && { revokedAt: sampleTime }),
        });
      }
      const list = async (mark: "revoked" | "unclaimed", after = "", limit = 9) =>
        (await b.devices.listMarked({ mark, after, limit }))
          .map(({ deviceId }) => deviceId)
          .join("");
      expect([await list("revoked"), await list("unclaimed")]).toEqual(["acd", "cd"]);
      expect([await list("revoked", "a", 1), await list("unclaimed", "c")]).toEqual(["c", "d"]);
      await a.devices.reinstate({
        deviceId: "a",
        event: sampleSecurityEvent("a", "device.reinstated"),
      });
      expect(await list("revoked")).toBe("cd");
      const [device] = await a.devices.listMarked({ mark: "revoked", after: "", limit: 1 });
      expect(device).toEqual(await b.devices.find("c"));
    },
  ),
];
