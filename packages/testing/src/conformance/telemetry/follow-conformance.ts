import type { FollowedRecord, GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  registerSampleDevice,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "../samples/samples.js";
import { race, type StoreCase, type StoreHandles, toCase, toRace } from "../samples/store-case.js";

const devices = ["gw-0", "gw-1", "gw-2"];
const numbered = (n: number) => sampleRecord({ seq: n, value: { n } });

async function registerAll([store]: StoreHandles): Promise<void> {
  for (const device of devices) await registerSampleDevice(store, device);
}

const send = (store: GatewayStore, deviceId: string, ...numbers: readonly number[]) =>
  store.telemetry.append({
    deviceId,
    receivedAt: sampleTime,
    records: numbers.map(numbered),
    once: null,
  });

/** Reads until nothing more is there. Returns the records and the last cursor. */
async function readToEnd([a, b]: StoreHandles, after = "", limit = 4) {
  const records: FollowedRecord[] = [];
  for (let turn = 0; ; turn++) {
    const page = await (turn % 2 ? a : b).telemetry.follow({ after, limit });
    expect(page.records.length).toBeLessThanOrEqual(limit);
    records.push(...page.records);
    if (page.next === after) return { records, after };
    after = page.next;
  }
}

/** Sorts by device. The order of the records of each device stays. */
const byDevice = (records: readonly FollowedRecord[]) =>
  devices.flatMap((device) => records.filter(({ deviceId }) => deviceId === device));

/** Reads the same records device by device. */
async function readEach([store]: StoreHandles): Promise<FollowedRecord[]> {
  const found = devices.map(async (deviceId) => {
    const records = await store.telemetry.read({ deviceId, after: 0, limit: 10_000 });
    return records.map((record) => ({ deviceId, targetHardware: "gw-2", ...record }));
  });
  return (await Promise.all(found)).flat();
}

const seqsOf = (records: readonly FollowedRecord[]) => records.map(({ seq }) => seq);

/** Cases for `TelemetryStore.follow` and `TelemetryStore.end`. */
export const followCases: readonly StoreCase[] = [
  toCase(
    "follow: returns the records of all devices, each in order of position",
    async (handles) => {
      await registerAll(handles);
      for (let n = 0; n < 10; n++) await send(handles[n % 2 ? 1 : 0], `gw-${n % 3}`, n, n + 100);
      const { records, after } = await readToEnd(handles);
      expect(records).toHaveLength(20);
      expect(byDevice(records)).toEqual(await readEach(handles));
      await send(handles[0], "gw-1", 7_000);
      expect(seqsOf((await readToEnd(handles, after)).records)).toEqual([7_000]);
    },
  ),

  toCase("follow: begins at the end", async (handles) => {
    const [a, b] = handles;
    expect(await readToEnd(handles, await a.telemetry.end())).toMatchObject({ records: [] });
    await registerAll(handles);
    await send(a, "gw-1", 1, 2);
    const end = await b.telemetry.end();
    expect(await a.telemetry.follow({ after: end, limit: 9 })).toEqual({ records: [], next: end });
    await send(b, "gw-2", 3);
    await send(a, "gw-1", 4);
    expect(seqsOf(byDevice((await readToEnd(handles, end)).records))).toEqual([4, 3]);
  }),

  toCase(
    "follow: returns only the new records of a device that registered again",
    async (handles) => {
      const [a, b] = handles;
      await registerAll(handles);
      await send(a, "gw-1", 1);
      const { after } = await readToEnd(handles);
      await send(a, "gw-1", 2);
      await send(a, "gw-0", 3);
      const event = sampleSecurityEvent("gw-1", "device.erased");
      await b.devices.erase({ deviceId: "gw-1", block: false, event });
      await registerSampleDevice(b, "gw-1");
      await send(b, "gw-1", 4);
      for (const from of ["", after]) {
        const { records } = await readToEnd(handles, from, 1);
        expect(byDevice(records).map(({ deviceId, seq }) => [deviceId, seq])).toEqual([
          ["gw-0", 3],
          ["gw-1", 4],
        ]);
      }
    },
  ),

  toCase("follow: continues behind pruned records", async (handles) => {
    const [a] = handles;
    await registerAll(handles);
    await send(a, "gw-1", 1, 2, 3);
    const { after } = await readToEnd(handles, "", 2);
    await send(a, "gw-1", 4);
    const receivedBefore = sampleTime + 1;
    while ((await a.telemetry.prune({ receivedBefore, limit: 2 })) > 0);
    const kept = (await readEach(handles)).map(({ seq }) => seq);
    await send(a, "gw-2", 5);
    for (const from of ["", after]) {
      const unread = kept.filter((seq) => from === "" || seq === 4);
      expect(seqsOf((await readToEnd(handles, from)).records)).toEqual([...unread, 5]);
    }
  }),

  toCase("follow: returns every record of large pages", async (handles) => {
    await registerAll(handles);
    const text = "x".repeat(60_000);
    for (let n = 0; n < 12; n++) {
      const records = [sampleRecord({ seq: n, value: { n, text: `${n}${text}` } })];
      const input = { deviceId: "gw-1", receivedAt: sampleTime, records, once: null };
      await handles[0].telemetry.append(input);
    }
    const { records } = await readToEnd(handles, "", 100);
    expect(records).toEqual(await readEach(handles));
    expect(records).toHaveLength(12);
  }),

  toCase("follow: rejects a text that is not a cursor", async ([store]) => {
    for (const after of ["here", "-1", "1.5", "9".repeat(30)]) {
      await expect(store.telemetry.follow({ after, limit: 1 })).rejects.toThrow(TypeError);
    }
  }),

  toRace("follow: a reader gets each record of concurrent writers once", async (handles) => {
    await registerAll(handles);
    let isWriting = true;
    const writing = race(handles, 48, async (store, n) => {
      for (let turn = 0; turn < 3; turn++) await send(store, `gw-${n % 3}`, n * 3 + turn);
    }).finally(() => {
      isWriting = false;
    });
    const seen: FollowedRecord[] = [];
    for (let after = ""; ; ) {
      const isLast = !isWriting;
      const page = await readToEnd(handles, after, 50);
      seen.push(...page.records);
      after = page.after;
      if (isLast) break;
      // Lets timers run, because a store may wait for one.
      await new Promise<void>((resolve) => setTimeout(resolve));
    }
    await writing;
    expect(seqsOf(seen).sort((x, y) => (x ?? 0) - (y ?? 0))).toEqual(
      Array.from({ length: 144 }, (_, n) => n),
    );
    expect(byDevice(seen)).toEqual(await readEach(handles));
  }),
];
