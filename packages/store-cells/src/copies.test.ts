import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import { createMemoryStore } from "@device-gateway/store-memory";
import {
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { beforeEach, expect, test, vi } from "vitest";
import {
  alertEvent,
  createRule,
  sampleAlertRule,
} from "../../testing/src/conformance/samples/alert-samples.js";
import { copiesFollower } from "./copies.js";
import { createCellsStore } from "./create-cells-store.js";

const rounds = 20;
const ruleIds = ["rule-1", "rule-2"];
const { toleratedShare } = sampleUpdateRules;

let home: ReturnType<typeof createMemoryStore>;
let cell: ReturnType<typeof createMemoryStore>;
/** The revisions that were copied to the cell, as `rule-1 2`. */
let copied: string[];

beforeEach(() => {
  home = createMemoryStore();
  cell = createMemoryStore();
  copied = [];
  const { copyRule } = cell.cell;
  vi.spyOn(cell.cell, "copyRule").mockImplementation(async (rule) => {
    copied.push(`${rule.id} ${rule.revision}`);
    // Other calls run meanwhile, as they do on a database.
    await new Promise(setImmediate);
    await copyRule(rule);
  });
});

const openProcess = () => createCellsStore({ home, cells: [cell] });

/** Replaces a rule again and again. */
async function replaceOften(store: GatewayStore, id: string): Promise<void> {
  for (let expectedRevision = 1; expectedRevision <= rounds; expectedRevision++) {
    const rule = sampleAlertRule(id, { revision: expectedRevision + 1 });
    const event = alertEvent("alert_rule.changed", "");
    const outcome = await store.alerts.replaceRule({ rule, expectedRevision, event });
    expect(outcome.kind).toBe("replaced");
  }
}

async function expectCopied(): Promise<void> {
  for (const id of ruleIds) {
    expect((await cell.alerts.findRule(id))?.revision).toBe(rounds + 1);
  }
  const [newest] = await home.securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
  const taken = await cell.followers.take({
    ...{ name: copiesFollower, holder: "test", at: sampleTime, until: 0 },
  });
  expect(taken, "the lease has ended").toEqual({ cursor: String(newest?.id) });
}

test("changes of rules at the same time are each copied once", async () => {
  const store = openProcess();
  for (const id of ruleIds) await createRule(store, sampleAlertRule(id));
  copied = [];
  await Promise.all(ruleIds.map((id) => replaceOften(store, id)));
  await expectCopied();
  expect(copied.length).toBeLessThanOrEqual(ruleIds.length * rounds);
});

test("a change that is made while another process copies is copied by that process", async () => {
  const stores = [openProcess(), openProcess()] as const;
  for (const id of ruleIds) await createRule(stores[0], sampleAlertRule(id));
  copied = [];
  await Promise.all([replaceOften(stores[0], "rule-1"), replaceOften(stores[1], "rule-2")]);
  await vi.waitFor(expectCopied, { timeout: 60_000 });
  expect(copied.length).toBeLessThanOrEqual(ruleIds.length * rounds);
});

test("the lease of a killed process delays copies only until it expires", async () => {
  const store = openProcess();
  const lease = { name: copiesFollower, holder: "killed", at: sampleTime };
  await cell.followers.take({ ...lease, until: sampleTime + 10_000 });
  await createRule(store, sampleAlertRule("rule-1"));
  expect(await cell.alerts.findRule("rule-1")).toBeNull();
  await store.settle?.({ toleratedShare, now: sampleTime + 1 });
  expect(await cell.alerts.findRule("rule-1")).toBeNull();
  await store.settle?.({ toleratedShare, now: sampleTime + 10_000 });
  expect(await cell.alerts.findRule("rule-1")).not.toBeNull();
});

test("a cell that lacks several pages catches up although many processes settle rollouts", async () => {
  for (let n = 0; n < 250; n++) {
    const rule = sampleAlertRule(`rule-${n}`);
    const event = { ...alertEvent("alert_rule.created", ""), details: { ruleId: rule.id } };
    await home.alerts.createRule({ rule, most: 1_000, event });
  }
  const processes = Array.from({ length: 8 }, openProcess);
  let isDone = false;
  const settleOften = async (store: GatewayStore) => {
    while (!isDone) {
      await store.settle?.({ toleratedShare, now: sampleTime });
      await new Promise(setImmediate);
      isDone ||= (await cell.alerts.findRule("rule-249")) !== null;
    }
  };
  await Promise.all(processes.map(settleOften));
  expect(copied.length).toBeLessThan(1_000);
});

test("a rule that is removed while a slow process copies it stays removed in the cell", async () => {
  const stores = [openProcess(), openProcess()] as const;
  const { copyRule } = cell.cell;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let isHeld = false;
  vi.mocked(cell.cell.copyRule).mockImplementationOnce(async (rule) => {
    isHeld = true;
    await held;
    await copyRule(rule);
  });
  const creating = createRule(stores[0], sampleAlertRule("rule-1"));
  await expect.poll(() => isHeld).toBe(true);
  const event = alertEvent("alert_rule.removed", "");
  await stores[1].alerts.removeRule({ id: "rule-1", limit: 9, event });
  await stores[1].settle?.({ toleratedShare, now: sampleTime + 20_000 });
  release();
  await creating;
  expect(await cell.alerts.findRule("rule-1")).toBeNull();
});

test("§6 a cell to which another process copies counts towards a halt, if it knows the latest one", async () => {
  const [other, now] = [createMemoryStore(), sampleTime + 1];
  const store = createCellsStore({ home, cells: [cell, other] });
  const release = sampleRelease({ status: "active", hasImage: true, activatedAt: sampleTime });
  const event = sampleSecurityEvent("", "release.created");
  const { id } = (await store.releases.create({ release, event })).release;
  vi.spyOn(other.cell, "tallies").mockImplementation(async () => [
    { releaseId: id, tally: { round: 0, succeeded: 500, failed: 0 } },
  ]);
  const tallies = vi.spyOn(cell.cell, "tallies");
  tallies.mockImplementation(async () => [
    { releaseId: id, tally: { round: 0, succeeded: 15, failed: 5 } },
  ]);
  const lease = { name: copiesFollower, holder: "another process", at: now, until: now + 2_000 };
  await other.followers.take(lease);
  await createRule(store, sampleAlertRule("rule-1"));
  expect(await store.settle?.({ toleratedShare, now })).toEqual([]);
  // Without a cell that has the copies, no round is known to be the latest.
  tallies.mockRejectedValueOnce(new StoreUnavailableError("The cell is down."));
  expect(await store.settle?.({ toleratedShare, now })).toEqual([]);
});
