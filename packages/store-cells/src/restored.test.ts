import type { GatewayStore } from "@device-gateway/core/store";
import {
  registerSampleDevice,
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { beforeEach, expect, test } from "vitest";
import {
  createRule,
  sampleAlertRule,
} from "../../testing/src/conformance/samples/alert-samples.js";
import { createCellsStore } from "./create-cells-store.js";
import { createRestorableStore, type RestorableStore } from "./testing/restorable-store.js";

const toleratedShare = sampleUpdateRules.toleratedShare;

let home: RestorableStore;
let cell: RestorableStore;
let store: GatewayStore;

const openProcess = () => createCellsStore({ home: home.store, cells: [cell.store] });

beforeEach(() => {
  home = createRestorableStore();
  cell = createRestorableStore();
  store = openProcess();
});

const createRelease = async (version: string) => {
  const release = sampleRelease({ version, status: "active", hasImage: true });
  const event = sampleSecurityEvent("", "release.created");
  return (await store.releases.create({ release, event })).release.id;
};
const pauseRelease = async (id: number) => {
  const event = sampleSecurityEvent("", "release.paused");
  const input = { id, expectedRevision: 1, changes: { status: "paused" as const }, event };
  expect(await store.releases.change(input)).toMatchObject({ kind: "changed" });
};
const statusInCell = async (id: number) => (await cell.store.releases.find(id))?.status;
const settle = (process = store) => process.settle?.({ toleratedShare, now: sampleTime });

test("§6 a cell that is restored to an earlier state gets the releases again that it lost", async () => {
  const id = await createRelease("1.0.0");
  const { cursor } = await store.changes.since(null);
  const saved = cell.save();
  await pauseRelease(id);
  const { cursor: later } = await store.changes.since(cursor);
  cell.restore(saved);
  expect(await statusInCell(id)).toBe("active");
  expect((await store.changes.since(later)).kind).toBe("reset");
  await settle();
  expect(await statusInCell(id)).toBe("paused");
});

test("§6 a release that changes before a server notices the restored cell hides no earlier change", async () => {
  const id = await createRelease("1.0.0");
  const saved = cell.save();
  await pauseRelease(id);
  cell.restore(saved);
  const next = await createRelease("2.0.0");
  expect(await statusInCell(id)).toBe("paused");
  expect(await statusInCell(next)).toBe("active");
  await settle(openProcess());
  expect(await statusInCell(id)).toBe("paused");
});

test("§6 after the home is restored to an earlier state, the cells get changes whose event ids are reused", async () => {
  const id = await createRelease("1.0.0");
  const saved = home.save();
  for (const rule of ["rule-1", "rule-2"]) await createRule(store, sampleAlertRule(rule));
  home.restore(saved);
  await pauseRelease(id);
  expect(await statusInCell(id)).toBe("paused");
});

test("§6 a server that starts after a restored home has reused all lost event ids copies what the cells lack", async () => {
  const id = await createRelease("1.0.0");
  const saved = home.save();
  for (const rule of ["rule-1", "rule-2"]) await createRule(store, sampleAlertRule(rule));
  home.restore(saved);
  // A server without a connection to the cell changes the release.
  const event = sampleSecurityEvent("", "release.paused");
  const changes = { status: "paused" as const };
  await home.store.releases.change({ id, expectedRevision: 1, changes, event });
  for (const deviceId of ["gw-1", "gw-2"]) await registerSampleDevice(home.store, deviceId);
  await settle(openProcess());
  expect(await statusInCell(id)).toBe("paused");
});

const register = (deviceId: string) => registerSampleDevice(store, deviceId);
const readLog = async (process = store) =>
  (await process.securityEvents.list({ after: 0, limit: 99 })).map(({ deviceId }) => deviceId);

test("§8 events of a cell that is restored to an earlier state are imported, although their ids are reused", async () => {
  await register("gw-1");
  const saved = cell.save();
  const lost = ["gw-2", "gw-3", "gw-4"];
  for (const deviceId of lost) await register(deviceId);
  expect(await readLog()).toEqual(["gw-1", ...lost]);
  cell.restore(saved);
  // Several processes notice it at the same time.
  const other = openProcess();
  await Promise.all([readLog(), readLog(other)]);
  await register("gw-5");
  const [log] = await Promise.all([readLog(), readLog(other)]);
  expect(log).toEqual(["gw-1", ...lost, "gw-5"]);
  await register("gw-6");
  expect(await readLog(other)).toEqual(["gw-1", ...lost, "gw-5", "gw-6"]);
});
