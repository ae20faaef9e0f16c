import { expect, vi } from "vitest";
import { fieldRecord } from "../../fixtures/field-records.js";
import type { WireCase } from "../world/wire-world.js";

/** Cases for §6: update reports in the `ota` section of telemetry. */
export const reportedUpdateCases: readonly WireCase[] = [
  {
    name: "§6 a changed OTA section becomes an event, and an unchanged one does not",
    async run({ call, register, store }) {
      const { token } = await register();
      const ota = { ...fieldRecord.ota, lastResult: "download-failed", offeredVersion: "0.2.0" };
      const append = vi.spyOn(store.telemetry, "append");
      await call("sendTelemetry", { token, body: fieldRecord });
      for (let i = 0; i < 3; i++) {
        await call("sendTelemetry", { token, body: { soc: i, ota: { ...ota, lastCheckAtMs: i } } });
      }
      const batch = [{ ota: { ...ota, lastResult: "downloading" } }, "bad", { ota }];
      await call("sendTelemetry", { token, body: batch });
      const list = { deviceId: "gw-1", from: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 };
      const events = await store.otaEvents.list(list);
      expect(events.map(({ state, fromVersion }) => [state, fromVersion])).toEqual([
        ["failed", "0.1.10"],
        ["downloading", "0.1.10"],
        ["failed", "0.1.10"],
      ]);
      const asked = append.mock.calls.map(([{ otaReports = [] }]) => otaReports.length);
      expect(asked).toEqual([0, 1, 0, 0, 2]);
    },
  },
  {
    name: "§6 the OTA sections of a batch become events once, however often the batch is sent",
    async run({ call, register, store, clock }) {
      const { token } = await register();
      const at = (seq: number, lastResult: string) => ({
        ...{ timestamp: clock.now(), seq },
        ota: { lastResult, offeredVersion: "0.2.0" },
      });
      const records = [at(1, "download-failed"), at(2, "downloading")];
      const later = at(3, "installing");
      const results = async () => {
        const list = { deviceId: "gw-1", from: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 };
        return (await store.otaEvents.list(list)).map(({ lastResult }) => lastResult);
      };
      await call("sendTelemetry", { token, body: records });
      expect(await results()).toEqual(["downloading", "download-failed"]);
      for (const body of [records, records.slice(0, 1)]) {
        const { duplicates } = (await call("sendTelemetry", { token, body })).body;
        expect(duplicates).toBe(body.length);
      }
      expect(await results()).toEqual(["downloading", "download-failed"]);
      await call("sendTelemetry", { token, body: ["bad", ...records, later, later] });
      expect(await results()).toEqual(["installing", "downloading", "download-failed"]);
      // Records without a timestamp never match another.
      const { timestamp: _, ...untimed } = later;
      await call("sendTelemetry", { token, body: [at(4, "rebooting"), untimed] });
      expect(await results()).toContain("rebooting");
      expect((await results())[0]).toBe("installing");
    },
  },
  {
    name: "§6 a request makes at most six events, of the latest changes",
    async run({ call, register, store }) {
      const { token } = await register();
      const statusOf = (lastResult: string) => ({ ota: { lastResult } });
      const body = Array.from({ length: 500 }, (_, n) => statusOf(n % 2 === 0 ? "a" : "b"));
      await call("sendTelemetry", {
        token,
        body: [statusOf("first"), ...body.slice(2), statusOf("last")],
      });
      const list = { deviceId: "gw-1", from: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 };
      const results = (await store.otaEvents.list(list)).map(({ lastResult }) => lastResult);
      expect(results).toEqual(["last", "b", "a", "b", "a", "b"]);
    },
  },
  {
    name: "§9 a changed OTA status draws 200 metrics, and an unchanged one none",
    options: { limits: { metricsPerMinute: 500 } },
    async run({ call, register, clock }) {
      const { token } = await register();
      const send = async (lastResult: string) =>
        (await call("sendTelemetry", { token, body: { ota: { lastResult } } })).status;
      expect([await send("a"), await send("b"), await send("b")]).toEqual([200, 200, 200]);
      expect(await send("c")).toBe(429);
      expect(await send("b")).toBe(200);
      clock.advance(30_000);
      expect(await send("c")).toBe(200);
    },
  },
];
