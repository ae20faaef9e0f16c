import type { StoredTelemetryRecord } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  registerSampleDevice,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import {
  follow,
  race,
  type StoreCase,
  type StoreHandles,
  toCase,
  toRace,
} from "../samples/store-case.js";

const deviceId = "gw-1";
const receivedAt = sampleTime;
const numbered = (n: number) => sampleRecord({ seq: n, value: { n } });
const positionsOf = (records: readonly StoredTelemetryRecord[]) =>
  records.map(({ position }) => position);

const devices = ["gw-0", "gw-1", "gw-2"];

async function registerAll([store]: StoreHandles): Promise<void> {
  for (const device of devices) await registerSampleDevice(store, device);
}

const appendOne = ([a, b]: StoreHandles, n: number, device = deviceId) =>
  (n % 2 ? b : a).telemetry.append({
    deviceId: device,
    receivedAt,
    records: [numbered(n)],
    once: null,
  });

/** Cases for `TelemetryStore.read` and for positions. */
export const telemetryReadCases: readonly StoreCase[] = [
  toCase("read: returns nothing for a device without records", async (handles) => {
    await registerAll(handles);
    await appendOne(handles, 1, "gw-2");
    expect(await handles[0].telemetry.read({ deviceId, after: 0, limit: 10 })).toEqual([]);
  }),

  toCase("read: returns pages, lowest position first", async (handles) => {
    await registerAll(handles);
    const [a, b] = handles;
    for (let n = 0; n < 6; n++) {
      await appendOne(handles, n);
      await appendOne(handles, n, "gw-2");
    }
    const all = await a.telemetry.read({ deviceId, after: 0, limit: 100 });
    expect(all.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
    const pages: StoredTelemetryRecord[][] = [];
    for (let after = 0; pages.at(-1)?.length !== 0; ) {
      const page = await b.telemetry.read({ deviceId, after, limit: 4 });
      pages.push([...page]);
      after = page.at(-1)?.position ?? after;
    }
    expect(pages).toEqual([all.slice(0, 4), all.slice(4), []]);
    expect(await a.telemetry.read({ deviceId, after: 0, limit: 1 })).toEqual(all.slice(0, 1));
  }),

  toCase("read: positions ascend in commit order", async (handles) => {
    await registerAll(handles);
    const [a, b] = handles;
    const positions = devices.map((): number[] => []);
    for (let n = 0; n < 10; n++) {
      const device = `gw-${n % 3}`;
      await appendOne(handles, n, device);
      const stored = await (n % 2 ? a : b).telemetry.read({
        deviceId: device,
        after: 0,
        limit: 99,
      });
      positions[n % 3]?.push(stored.at(-1)?.position ?? 0);
    }
    for (const ofDevice of positions) {
      expect(ofDevice[0]).toBeGreaterThan(0);
      expect(ofDevice).toEqual([...new Set(ofDevice)].sort((x, y) => x - y));
    }
  }),

  toCase("read: no later record gets a position at or below the last one", async (handles) => {
    await registerAll(handles);
    const [a, b] = handles;
    for (let n = 0; n < 6; n++) {
      const before = await b.telemetry.lastPositions(devices);
      const device = `gw-${n % 3}`;
      await appendOne(handles, n, device);
      const after = before[n % 3] ?? 0;
      const stored = await a.telemetry.read({ deviceId: device, after, limit: 99 });
      expect(stored.map(({ seq }) => seq)).toEqual([n]);
      expect(await b.telemetry.lastPositions([device])).toEqual(positionsOf(stored));
    }
    const [after = 0] = await b.telemetry.lastPositions(["gw-1"]);
    const event = sampleSecurityEvent("gw-2", "device.erased");
    await a.devices.erase({ deviceId: "gw-2", block: false, event });
    await appendOne(handles, 6, "gw-1");
    const [next] = await a.telemetry.read({ deviceId: "gw-1", after, limit: 99 });
    expect(next?.seq, "a position is not reused").toBe(6);
  }),

  toRace("read: concurrent records of a device get unique positions", async (handles) => {
    await registerAll(handles);
    await race(handles, 48, (store, n) =>
      store.telemetry.append({
        deviceId: `gw-${n % 3}`,
        receivedAt,
        records: [numbered(n), numbered(n + 100)],
        once: null,
      }),
    );
    const stored = await Promise.all(
      devices.map((device) =>
        handles[1].telemetry.read({ deviceId: device, after: 0, limit: 1_000 }),
      ),
    );
    for (const ofDevice of stored) expect(new Set(positionsOf(ofDevice)).size).toBe(32);
  }),

  toRace("read: a reader that follows concurrent writes misses nothing", async (handles) => {
    await registerAll(handles);
    const writing = race(handles, 64, async (_, n) => {
      for (let turn = 0; turn < 4; turn++) await appendOne(handles, n * 4 + turn);
    });
    const seen = await follow<StoredTelemetryRecord>(writing, (last) =>
      handles[1].telemetry.read({ deviceId, after: last?.position ?? 0, limit: 50 }),
    );
    const stored = await handles[0].telemetry.read({ deviceId, after: 0, limit: 1_000 });
    expect(stored).toHaveLength(256);
    expect(positionsOf(seen)).toEqual(positionsOf(stored));
  }),
];
