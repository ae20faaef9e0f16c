import { registerSampleDevice, sampleRelease, sampleTime } from "@device-gateway/testing";
import { expect, test } from "vitest";
import type { StoreAndClient } from "./testing/use-store-and-client.js";
import { useStoreAndClient } from "./testing/use-store-and-client.js";

let opened: StoreAndClient;
useStoreAndClient((next) => {
  opened = next;
});

test("§8 a cell whose newest events were lost says where its log ends, and hides none that is being written", async () => {
  const { store, other } = opened;
  for (const deviceId of ["gw-1", "gw-2", "gw-3"]) await registerSampleDevice(store, deviceId);
  const { events, next } = await store.cell.eventsAfter({ after: 0, limit: 9 });
  expect(events).toEqual(await store.securityEvents.list({ after: 0, limit: 9 }));
  expect(next).toBe(events.at(-1)?.id);
  const nothing = { events: [], next };
  expect(await store.cell.eventsAfter({ after: next, limit: 9 })).toEqual(nothing);
  const [first] = events;
  const page = await store.cell.eventsAfter({ after: 0, limit: 1 });
  expect(page).toEqual({ events: [first], next: first?.id });

  // A transaction that began before the read may still write events after the first one.
  await other.query("BEGIN");
  await other.query("SELECT pg_advisory_xact_lock_shared(17479::bigint << 48 | $1)", [first?.id]);
  const beyond = await store.cell.eventsAfter({ after: next + 1_000, limit: 9 });
  expect(beyond).toEqual({ events: [], next: first?.id });
  expect(await store.cell.eventsAfter({ after: next, limit: 9 }), "it has ids of its own").toEqual(
    nothing,
  );
  await other.query("ROLLBACK");
  const { next: end } = await store.cell.eventsAfter({ after: next + 1_000, limit: 9 });
  expect(end).toBeGreaterThanOrEqual(next);
  expect(end).toBeLessThan(next + 1_000);
});

test("§8 if a cell is set back, the home's import position is set back too, by exactly one process", async () => {
  const { store } = opened;
  const { cell } = store;
  await registerSampleDevice(store, "gw-1");
  const { events } = await cell.eventsAfter({ after: 0, limit: 9 });
  const move = (after: number, next: number, imported: typeof events = []) =>
    cell.importEvents({ cell: 0, after, next, events: imported });
  expect(await move(0, 5_000, events)).toBe(true);
  const racers = await Promise.all([4_000, 4_000].map((end) => move(5_000, end)));
  expect(racers.sort()).toEqual([false, true]);
  expect(await cell.imports()).toEqual([{ cell: 0, upTo: 4_000 }]);
  expect(await move(4_000, 4_001, events)).toBe(true);
  expect(await cell.imports()).toEqual([{ cell: 0, upTo: 4_001 }]);
  expect(await store.securityEvents.list({ after: 0, limit: 9 })).toHaveLength(3);
});

test("§6 a copied release takes its version from another one, which the home has lost", async () => {
  const { store } = opened;
  const lost = sampleRelease({ version: "1.0.1", status: "active", activatedAt: sampleTime });
  const copy = (id: number, revision: number) =>
    store.cell.copyRelease({ release: { ...lost, id, revision }, round: 0, at: sampleTime });
  await copy(2, 3);
  await copy(34, 1);
  const stored = await Promise.all([2, 34].map((id) => store.releases.find(id)));
  expect(stored.map((one) => one?.status)).toEqual(["withdrawn", "active"]);
});

test("§6 a late copy of a draft takes its version from no other release", async () => {
  const { store } = opened;
  const copy = (id: number, revision: number, status: "draft" | "withdrawn" | "active") =>
    store.cell.copyRelease({
      release: { ...sampleRelease({ version: "1.0.1", status, activatedAt: null }), id, revision },
      ...{ round: 0, at: sampleTime },
    });
  await copy(2, 2, "withdrawn");
  await copy(3, 1, "active");
  await copy(2, 1, "draft");
  expect((await store.releases.find(3))?.status).toBe("active");
});
