import type { GatewayStore, SecurityEvent, StoredSecurityEvent } from "@device-gateway/core/store";
import { canonicalJson } from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardJson, awkwardText } from "./samples/awkward-values.js";
import { sampleDevice, sampleEvent } from "./samples/samples.js";
import { follow, race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const write = (store: GatewayStore, event: SecurityEvent) =>
  store.devices.register({ device: sampleDevice(event.deviceId), event });
/** Writes an event and reads the log. A store of several databases numbers events of different devices when they are read. */
async function writeNext(store: GatewayStore, event: SecurityEvent): Promise<void> {
  await write(store, event);
  await store.securityEvents.list({ after: 0, limit: 1 });
}
const idsOf = (events: readonly StoredSecurityEvent[]) => events.map(({ id }) => id);

/** Cases for `SecurityEventStore`. */
export const securityEventCases: readonly StoreCase[] = [
  toCase("list: a new store has no security events", async ([a]) => {
    expect(await a.securityEvents.list({ after: 0, limit: 10 })).toEqual([]);
  }),

  toCase("list: returns every field as written", async ([a, b]) => {
    const events: SecurityEvent[] = [
      sampleEvent("gw-1"),
      { ...sampleEvent("gw-2"), requestId: null, clientAddress: null },
      { ...sampleEvent("gw-3"), requestId: "", clientAddress: "", actor: "" },
      { ...sampleEvent("gw-4", { text: awkwardText, json: awkwardJson }), actor: awkwardText },
      { ...sampleEvent("gw-5", awkwardJson), kind: "device.configured", at: 0 },
    ];
    for (const event of events) await writeNext(a, event);
    const listed = await b.securityEvents.list({ after: 0, limit: 10 });
    const expected = events.map((event, n) => ({ ...event, id: listed[n]?.id }));
    expect(canonicalJson(listed)).toBe(canonicalJson(expected));
  }),

  toCase("list: returns pages, oldest first", async ([a, b]) => {
    for (let n = 0; n < 6; n++) await writeNext(n % 2 ? a : b, sampleEvent(`gw-${n}`));
    const all = await a.securityEvents.list({ after: 0, limit: 100 });
    expect(all.map(({ deviceId }) => deviceId)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `gw-${n}`));
    expect(idsOf(all)).toEqual([...new Set(idsOf(all))].sort((x, y) => x - y));
    expect(all[0]?.id).toBeGreaterThan(0);
    expect(await b.securityEvents.list({ after: 0, limit: 4 })).toEqual(all.slice(0, 4));
    const after = all[3]?.id ?? 0;
    expect(await b.securityEvents.list({ after, limit: 4 })).toEqual(all.slice(4));
    expect(await b.securityEvents.list({ after: all[5]?.id ?? 0, limit: 4 })).toEqual([]);
  }),

  toCase("newest: returns pages, newest first", async ([a, b]) => {
    for (let n = 0; n < 6; n++) await writeNext(n % 2 ? a : b, sampleEvent(`gw-${n}`));
    const all = (await a.securityEvents.list({ after: 0, limit: 100 })).toReversed();
    const newest = (before: number) => b.securityEvents.newest({ before, limit: 4 });
    expect(await newest(Number.MAX_SAFE_INTEGER)).toEqual(all.slice(0, 4));
    expect(await newest(all[3]?.id ?? 0)).toEqual(all.slice(4));
    expect(await newest(all[5]?.id ?? 0)).toEqual([]);
  }),

  toCase(
    "list and newest: return only the events of a device, an actor or both",
    async ([a, b]) => {
      for (const [n, actor] of ["ann", "bob", "ann", awkwardText].entries()) {
        await writeNext(n % 2 ? a : b, { ...sampleEvent(`gw-${n % 3}`), actor });
      }
      for (const filter of [
        { deviceId: "gw-0" },
        { actor: "ann" },
        { actor: awkwardText },
        { deviceId: "gw-0", actor: "ann" },
        { deviceId: "unknown" },
      ]) {
        const all = await a.securityEvents.list({ after: 0, limit: 10 });
        const wanted = all.filter((event) =>
          Object.entries(filter).every(([name, text]) => event[name as "actor"] === text),
        );
        const page = { ...filter, limit: 10 };
        expect(await b.securityEvents.list({ ...page, after: 0 })).toEqual(wanted);
        expect(await b.securityEvents.newest({ ...page, before: Number.MAX_SAFE_INTEGER })).toEqual(
          wanted.toReversed(),
        );
        const after = all[0]?.id ?? 0;
        expect(await a.securityEvents.list({ ...page, after, limit: 1 })).toEqual(
          wanted.filter(({ id }) => id > after).slice(0, 1),
        );
      }
    },
  ),
  toCase("list: pages of some kinds skip all other events", async ([a, b]) => {
    const kinds = ["device.claimed", "device.renamed", "device.released"] as const;
    for (let n = 0; n < 9; n++) {
      const event = { ...sampleEvent(`gw-${n}`), kind: kinds[n % 3] ?? "device.claimed" };
      await writeNext(n % 2 ? a : b, event);
    }
    const all = await a.securityEvents.list({ after: 0, limit: 100 });
    const wanted = all.filter(({ kind }) => kind !== "device.renamed");
    // A kind that is named twice, and one without events.
    const some = ["device.released", "device.claimed", "device.claimed", "device.erased"] as const;
    const page = { limit: 4, kinds: some };
    expect(await b.securityEvents.list({ after: 0, ...page })).toEqual(wanted.slice(0, 4));
    const after = wanted[3]?.id ?? 0;
    expect(await b.securityEvents.list({ after, ...page })).toEqual(wanted.slice(4));
    const before = wanted[4]?.id ?? 0;
    expect(await a.securityEvents.newest({ before, ...page })).toEqual(
      wanted.slice(0, 4).toReversed(),
    );
    expect(await a.securityEvents.list({ after: 0, limit: 9, kinds: [] })).toEqual([]);
  }),

  toCase("prune: deletes the oldest events of one kind, and notes up to where", async ([a, b]) => {
    const moved = (n: number, at: number): SecurityEvent => ({
      ...sampleEvent(`gw-${n}`),
      kind: "update.moved",
      at,
    });
    await writeNext(a, sampleEvent("gw-0"));
    for (const [n, at] of [1_000, 3_000, 1_001, 1_002].entries())
      await writeNext(b, moved(n + 1, at));
    const all = await a.securityEvents.list({ after: 0, limit: 100 });
    expect(await b.securityEvents.prunedUpTo()).toBe(0);
    const prune = (before: number, limit: number) =>
      b.securityEvents.prune({ kind: "update.moved", before, limit });
    expect(await prune(1_000, 9)).toBe(0);
    expect(await a.securityEvents.prunedUpTo()).toBe(0);
    expect(await prune(1_002, 2), "the second of two is too young").toBe(1);
    expect(await a.securityEvents.prunedUpTo()).toBe(all[1]?.id);
    expect(await prune(1_002, 9)).toBe(1);
    expect(await prune(1_002, 9)).toBe(0);
    expect(await a.securityEvents.prunedUpTo()).toBe(all[3]?.id);
    const left = [0, 2, 4].map((n) => all[n]);
    expect(await a.securityEvents.list({ after: 0, limit: 100 })).toEqual(left);
    await writeNext(a, sampleEvent("gw-9"));
    const [newest] = await b.securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
    expect(newest?.id, "an id is never reused").toBeGreaterThan(all[4]?.id ?? 0);
  }),

  toRace("list: a reader that follows concurrent writes misses nothing", async (handles) => {
    const writing = race(handles, 64, async (store, n) => {
      for (let turn = 0; turn < 4; turn++) await write(store, sampleEvent(`gw-${n}-${turn}`));
    });
    const seen = await follow<StoredSecurityEvent>(writing, (last) =>
      handles[1].securityEvents.list({ after: last?.id ?? 0, limit: 50 }),
    );
    const listed = await handles[0].securityEvents.list({ after: 0, limit: 1_000 });
    expect(listed).toHaveLength(256);
    expect(idsOf(seen)).toEqual(idsOf(listed));
  }),
];
