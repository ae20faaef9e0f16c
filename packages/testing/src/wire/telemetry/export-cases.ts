import type { TelemetryStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import { fieldRecord } from "../../fixtures/field-records.js";
import { hour, iso, minute, params, prepareHistory } from "../world/history-world.js";
import type { WireCase } from "../world/wire-world.js";

/** Holds back all pages of samples after the first one. Returns the function that lets them be read. */
function holdSecondPage(telemetry: { samples: TelemetryStore["samples"] }): () => void {
  const { samples } = telemetry;
  let pages = 0;
  let goOn = () => {};
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  telemetry.samples = async (query) => {
    pages += 1;
    if (pages > 1) await mayGoOn;
    return samples(query);
  };
  return goOn;
}

/** Cases for §7: export and live stream. */
export const exportCases: readonly WireCase[] = [
  {
    name: "§7 the export returns every record, whole as NDJSON or as CSV",
    async run(world) {
      const start = world.clock.now() - 12 * hour;
      const records = Array.from({ length: 1_203 }, (_, i) => ({
        timestamp: iso(start + i * 1_000),
        ...(i % 2 ? { a: i } : { "b,c": { d: i / 4 } }),
      }));
      const odd = { ...fieldRecord, timestamp: iso(start - 1), note: '=1+1, "x"\n' };
      const { exported } = await prepareHistory(world, [odd, ...records]);
      const ndjson = await exported({ format: "ndjson" });
      const lines = ndjson.body.trimEnd().split("\n");
      expect(lines.map((line: string) => JSON.parse(line))).toEqual([odd, ...records]);
      expect(ndjson.headers.get("content-disposition")).toBe(
        'attachment; filename="gw-1_2025-01-01.ndjson"',
      );
      const csv = await exported({});
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      const [header, first, ...rest] = csv.body.split("\r\n");
      expect(header.startsWith("timestamp,bmsLinkUp,voltage,")).toBe(true);
      expect(header).toContain('"b,c.d"');
      expect(`${first}`).toContain("true,53.27");
      expect(csv.body).toContain(`"'=1+1, ""x""\n"`);
      expect(rest.length).toBeGreaterThan(1_203);
    },
  },
  {
    name: "§0 HEAD of a stream has no Content-Length, because that of GET is unknown",
    async run(world) {
      const { owner } = await prepareHistory(world, [{ a: 1 }]);
      const headers = { authorization: `Bearer ${owner}` };
      for (const path of ["export", "live"]) {
        const url = `/api/v1/dashboard/devices/gw-1/telemetry/${path}`;
        const response = await world.fetch(url, { method: "HEAD", headers });
        expect([path, response.status]).toEqual([path, 200]);
        expect(response.headers.get("content-length")).toBeNull();
        expect(await response.text()).toBe("");
      }
    },
  },
  {
    name: "§7 a live stream opens at once for users who can see the device, and for nobody else",
    async run(world) {
      const { owner } = await prepareHistory(world, []);
      const path = "/api/v1/dashboard/devices/gw-1/telemetry/live";
      const open = (token: string) =>
        world.fetch(path, { headers: { authorization: `Bearer ${token}` } });
      const stream = await open(owner);
      expect([stream.status, stream.headers.get("content-type")]).toEqual([
        200,
        "text/event-stream",
      ]);
      const reader = stream.body?.getReader();
      const first = await reader?.read();
      expect(new TextDecoder().decode(first?.value)).toMatch(/^retry: 2000\nid: \d+\n\n$/);
      void reader?.cancel();
      expect((await open(await world.signIn("bob"))).status).toBe(404);
      expect((await open("x")).status).toBe(401);
    },
  },
  {
    name: "§7 a slow export is aborted when another customer owns the device",
    async run(world) {
      const { call, clock, signIn, fetch } = world;
      const records = Array.from({ length: 1_200 }, (_, a) => ({ a, pad: "x".repeat(200) }));
      const { token, owner } = await prepareHistory(world, records);
      const goOn = holdSecondPage(world.store.telemetry);
      const far = new Date(clock.now() + 400 * 24 * hour).toISOString();
      const path = `/api/v1/dashboard/devices/gw-1/telemetry/export?format=ndjson&to=${far}`;
      const slow = await fetch(path, { headers: { authorization: `Bearer ${owner}` } });
      const reader = slow.body?.getReader();
      await reader?.read();
      await call("releaseDevice", { token: owner, params });
      clock.advance(minute);
      const bob = await signIn("bob");
      await call("claimDevice", {
        token: bob,
        body: { deviceId: "gw-1", claimCode: "ABCD-EFGH" },
      });
      expect((await call("readConfig", { token })).status).toBe(401);
      goOn();
      let rest = "";
      const readOn = async () => {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done) return;
          rest += new TextDecoder().decode(value);
        }
      };
      await expect(readOn(), "an incomplete export must not look complete").rejects.toThrow();
      // Records that were already sent may still arrive, but no more are read.
      expect(rest.split("\n").length).toBeLessThan(1_200);
    },
  },
];
