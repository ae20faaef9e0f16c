import { StoreUnavailableError } from "@device-gateway/core/store";
import {
  registerSampleDevice,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { beforeEach, expect, test } from "vitest";
import {
  alertEvent,
  createRule,
  firing,
  sampleAlert,
  sampleAlertRule,
  sampleWatch,
} from "../../testing/src/conformance/samples/alert-samples.js";
import { createCellsStore } from "./create-cells-store.js";
import { findDevices, openBreakableCells } from "./testing/breakable-cells.js";

const [first, second] = findDevices();
const { toleratedShare } = sampleUpdateRules;
let { home, cells, store, cellNumber, createRelease, sendReport, failUpdates, settle } =
  openBreakableCells();

beforeEach(() => {
  ({ home, cells, store, cellNumber, createRelease, sendReport, failUpdates, settle } =
    openBreakableCells());
});

test("§6 a cell that was down gets the releases that it missed", async () => {
  await registerSampleDevice(store, first);
  cellNumber(first).isDown = true;
  await createRelease();
  cellNumber(first).isDown = false;
  expect((await sendReport(first, "offered")).state, "the cell does not know it yet").toBeNull();
  await settle();
  expect((await sendReport(first, "offered")).state).toBe("offered");
});

test("§6 another process continues to copy where the killed one stopped", async () => {
  cellNumber(first).isDown = true;
  await createRelease();
  cellNumber(first).isDown = false;
  const other = createCellsStore({ home: home.store, cells: cells.map((cell) => cell.store) });
  await other.settle?.({ toleratedShare, now: sampleTime });
  expect(await cellNumber(first).store.releases.find(1)).toMatchObject({ status: "active" });
});

test("§6 failures in all cells together halt a rollout once, and the next round counts from zero", async () => {
  const { release } = await createRelease();
  await failUpdates(4, "a");
  expect(await settle()).toEqual([]);
  await failUpdates(1, "b");
  const halted = [{ kind: "release.halted", details: { failed: 5, succeeded: 0 } }];
  expect(await settle()).toMatchObject(halted);
  expect(await settle()).toEqual([]);
  // The cell misses the halt and the new activation, so that its tally is still that of the former round.
  const stopped = await store.releases.find(release.id);
  await store.releases.change({
    ...{ id: release.id, expectedRevision: stopped?.revision ?? 0 },
    changes: { status: "active", haltedAt: null },
    event: sampleSecurityEvent("", "release.activated"),
  });
  await failUpdates(4, "c");
  expect(await settle()).toEqual([]);
  await failUpdates(1, "d");
  expect(await settle()).toMatchObject(halted);
});

test("§6 a cell that missed a halt does not count its failures again in the next round", async () => {
  const { release } = await createRelease();
  await failUpdates(5, "a");
  const change = async (changes: object, kind: "release.halted" | "release.activated") => {
    const { revision = 0 } = (await home.store.releases.find(release.id)) ?? {};
    const told = sampleSecurityEvent("", kind);
    const input = { id: release.id, expectedRevision: revision, changes, event: told };
    expect(await store.releases.change(input)).toMatchObject({ kind: "changed" });
  };
  for (const cell of cells) cell.isDown = true;
  await change({ status: "paused", haltedAt: sampleTime }, "release.halted");
  await change({ status: "active", haltedAt: null }, "release.activated");
  for (const cell of cells) cell.isDown = false;
  expect(await settle()).toEqual([]);
  expect(await home.store.releases.find(release.id)).toMatchObject({ status: "active" });
});

test("§8 a rule that is removed while a cell is down is removed in the other cells at once, and there later", async () => {
  const devices = [first, second];
  await createRule(store, sampleAlertRule("rule-1", { ownerId: null }));
  for (const deviceId of devices) {
    await registerSampleDevice(store, deviceId);
    const alert = { ownerId: null, subject: deviceId, deviceId };
    await store.alerts.judge({
      ...{ watch: sampleWatch(deviceId), expectedRevision: null, owner: null },
      transitions: [firing(sampleAlert(`alert of ${deviceId}`, alert))],
    });
  }
  cellNumber(first).isDown = true;
  const remove = () =>
    store.alerts.removeRule({
      id: "rule-1",
      limit: 9,
      event: alertEvent("alert_rule.removed", ""),
    });
  expect(await remove()).toEqual({ kind: "removed" });
  expect(await home.store.alerts.findRule("rule-1")).toBeNull();
  expect(await cellNumber(second).store.alerts.findRule("rule-1")).toBeNull();
  cellNumber(first).isDown = false;
  expect(await cellNumber(first).store.alerts.findRule("rule-1")).not.toBeNull();
  expect(await store.alerts.findRule("rule-1"), "a copy is no rule").toBeNull();
  await settle();
  expect(await cellNumber(first).store.alerts.findRule("rule-1")).toBeNull();
  expect(await store.alerts.firing(devices)).toEqual([]);
  expect(await remove()).toEqual({ kind: "unknown" });
});

test("§8 a rule that cannot be removed, because the home is down, is still judged in all cells", async () => {
  await createRule(store, sampleAlertRule("rule-1", { ownerId: null }));
  home.isDown = true;
  const event = alertEvent("alert_rule.removed", "");
  const removing = store.alerts.removeRule({ id: "rule-1", limit: 9, event });
  await expect(removing).rejects.toThrow(StoreUnavailableError);
  for (const cell of cells) expect(await cell.store.alerts.findRule("rule-1")).not.toBeNull();
});
