import type { GatewayStore, SecurityEvent, StoredSecurityEvent } from "@device-gateway/core/store";
import { expect } from "vitest";
import { registerSampleDevice, sampleTime, sampleUpdateRules } from "../samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "../samples/store-case.js";
import { activeRelease, historyOf, sendReport } from "./update-samples.js";

const dayMs = 86_400_000;
const haltsOf = async (store: GatewayStore): Promise<StoredSecurityEvent[]> => {
  const events = await store.securityEvents.list({ after: 0, limit: 10_000 });
  return events.filter(({ kind }) => kind === "release.halted");
};
/** Returns the events of releases that the store halts outside `report`, because it adds tallies of several databases. */
const settle = async (store: GatewayStore, now: number): Promise<readonly SecurityEvent[]> =>
  (await store.settle?.({ toleratedShare: sampleUpdateRules.toleratedShare, now })) ?? [];
const fleet = (size: number) => Array.from({ length: size }, (_, n) => `gw-${n}`);

/** Cases for halting releases and blocking them for a device. */
export const updateGuardCases: readonly StoreCase[] = [
  toCase(
    "updates: a release that fails too often is paused, with an event that says why",
    async ([a, b]) => {
      const release = await activeRelease(a);
      const { cursor } = await b.changes.since(null);
      for (const deviceId of fleet(6)) {
        await registerSampleDevice(a, deviceId);
        await sendReport(a, "offered", { event: { deviceId } });
      }
      const failing = fleet(6).map((deviceId) => ({
        event: { deviceId, createdAt: sampleTime + 9 },
      }));
      const halts: (SecurityEvent | null)[] = [];
      for (const changes of failing) {
        const { halt: own } = await sendReport(b, "failed", changes);
        halts.push(own ?? (await settle(b, sampleTime + 9))[0] ?? null);
      }
      const [halt = null] = await haltsOf(a);
      expect(halts).toEqual([null, null, null, null, expect.anything(), null]);
      expect(halt, "the returned event equals the written one").toMatchObject(halts[4] ?? {});
      expect(await a.releases.find(release.id)).toEqual({
        ...release,
        status: "paused",
        haltedAt: sampleTime + 9,
        revision: release.revision + 1,
      });
      expect(await haltsOf(a)).toMatchObject([
        { at: sampleTime + 9, details: { releaseId: release.id, failed: 5, succeeded: 0 } },
      ]);
      expect(await a.changes.since(cursor)).toMatchObject({ releasesChanged: true });
      expect(await a.updates.counts(release.id)).toEqual({ failed: 6 });
    },
  ),

  toRace("updates: exactly one of many concurrent failures halts the release", async (handles) => {
    const [a] = handles;
    const { id } = await activeRelease(a);
    for (const deviceId of fleet(16)) {
      await registerSampleDevice(a, deviceId);
      await sendReport(a, "offered", { event: { deviceId } });
    }
    const outcomes = await race(handles, 16, (store, n) =>
      sendReport(store, "failed", { event: { deviceId: `gw-${n}` } }),
    );
    const settled = await race(handles, 8, (store) => settle(store, sampleTime));
    const halts = [...outcomes.flatMap(({ halt }) => halt ?? []), ...settled.flat()];
    expect(halts).toHaveLength(1);
    expect(await haltsOf(a)).toHaveLength(1);
    expect(await a.updates.counts(id)).toEqual({ failed: 16 });
  }),

  toRace("updates: concurrent equal reports of a device count once", async (handles) => {
    const [a] = handles;
    await registerSampleDevice(a, "gw-1");
    const { id } = await activeRelease(a);
    await race(handles, 16, (store) => sendReport(store, "offered"));
    await race(handles, 16, (store) => sendReport(store, "failed"));
    expect(await historyOf(a)).toEqual(["offered", "failed"]);
    expect((await a.updates.list("gw-1"))[0]?.failures).toBe(1);
    expect(await a.updates.counts(id)).toEqual({ failed: 1 });
  }),

  toCase("updates: blocked releases are stored with the device", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    const { id } = await activeRelease(a);
    for (const n of [0, 1, 2]) {
      const event = { createdAt: sampleTime + n };
      await sendReport(a, "offered", { event });
      await sendReport(b, "failed", { event });
    }
    const until = sampleTime + 2 + dayMs;
    expect((await a.devices.find("gw-1"))?.ota.blocks).toEqual([{ releaseId: id, until }]);
  }),
];
