import type { GatewayStore, NewRefusal, RefusalStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardText } from "../samples/awkward-values.js";
import {
  registerSampleDevice,
  sampleEvent,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";

const deviceId = "gw-1";
type Addition = Parameters<RefusalStore["add"]>[0];

const refusal = (code: string, count = 1): NewRefusal => ({
  code,
  message: `${code} ${count}`,
  count,
});
const add = (store: GatewayStore, changes: Partial<Addition>) =>
  store.refusals.add({ deviceId, now: sampleTime, since: 0, refusals: [], ...changes });
const list = (store: GatewayStore, id = deviceId, from = 0) =>
  store.refusals.list({ deviceId: id, from });

/** Cases for `RefusalStore`. */
export const refusalCases: readonly StoreCase[] = [
  toCase(
    "refusals: are counted by code, with the latest message and both times",
    async ([a, b]) => {
      await registerSampleDevice(a, deviceId);
      await add(a, {
        refusals: [refusal("too_deep", 2), { ...refusal("b"), message: awkwardText }],
      });
      await add(b, { now: sampleTime + 5, refusals: [refusal("too_deep", 3)] });
      // Another process's clock may be behind.
      await add(a, { now: sampleTime + 1, refusals: [refusal("too_deep", 1)] });
      await add(a, { now: sampleTime + 9 });
      expect(await list(b)).toEqual([
        {
          ...{ code: "too_deep", message: "too_deep 1", count: 6 },
          ...{ firstAt: sampleTime, lastAt: sampleTime + 5 },
        },
        { code: "b", message: awkwardText, count: 1, firstAt: sampleTime, lastAt: sampleTime },
      ]);
      expect(await list(a, "gw-2")).toEqual([]);
    },
  ),

  toCase(
    "refusals: of an earlier owner's time are neither listed nor counted on",
    async ([a, b]) => {
      for (const id of [deviceId, "gw-2"]) await registerSampleDevice(a, id);
      await add(a, { refusals: [refusal("old", 7), refusal("both", 7)] });
      const since = sampleTime + 10;
      await add(b, { now: since + 1, since, refusals: [refusal("both", 2)] });
      const own = {
        code: "both",
        message: "both 2",
        count: 2,
        firstAt: since + 1,
        lastAt: since + 1,
      };
      expect(await list(a, deviceId, since)).toEqual([own]);
      expect((await list(a)).map(({ code }) => code)).toEqual(["both", "old"]);
      const wanted = [
        { deviceId: "gw-2", from: 0 },
        { deviceId, from: since },
        { deviceId: "unknown", from: 0 },
        { deviceId, from: since + 2 },
        { deviceId, from: 0 },
      ];
      expect(await b.refusals.latest(wanted)).toEqual([null, since + 1, null, null, since + 1]);
      expect(await b.refusals.latest([])).toEqual([]);
    },
  ),

  toCase("refusals: of an unknown device are ignored, and erasure deletes them", async ([a, b]) => {
    const refusals = [refusal("too_deep")];
    await add(a, { refusals });
    await registerSampleDevice(a, deviceId, { registeredAt: 0 });
    expect(await list(b)).toEqual([]);
    await add(a, { refusals });
    const drop = { ...sampleEvent(""), kind: "device.dropped" } as const;
    await b.devices.dropUnused({ deviceId: null, registeredBefore: 1, limit: 9, event: drop });
    await registerSampleDevice(a, deviceId);
    expect(await list(b)).toEqual([]);
    await add(b, { refusals });
    const event = sampleSecurityEvent(deviceId, "device.erased");
    await a.devices.erase({ deviceId, block: false, event });
    await registerSampleDevice(a, deviceId);
    expect(await list(b)).toEqual([]);
  }),

  toRace("refusals: of many callers at once are all counted", async (handles) => {
    await registerSampleDevice(handles[0], deviceId);
    await race(handles, 16, (store, racer) => {
      const both = [refusal("a"), refusal("b", 2)];
      return add(store, { refusals: racer % 3 === 0 ? both.toReversed() : both });
    });
    const counts = (await list(handles[1])).map(({ code, count }) => [code, count]);
    expect(counts).toEqual([
      ["a", 16],
      ["b", 32],
    ]);
  }),

  toRace(
    "refusals: an erased device leaves none that are added at the same moment",
    async (handles) => {
      for (let round = 0; round < 8; round++) {
        const id = `gw-${round}`;
        await registerSampleDevice(handles[0], id);
        const event = sampleSecurityEvent(id, "device.erased");
        await race<unknown>(handles, 8, (store, racer) =>
          racer === round
            ? store.devices.erase({ deviceId: id, block: false, event })
            : add(store, { deviceId: id, refusals: [refusal("a")] }),
        );
        await registerSampleDevice(handles[0], id);
        expect(await list(handles[1], id)).toEqual([]);
      }
    },
  ),
];
