import { createGateway, generateSecrets } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import {
  createFakeClock,
  registerSampleDevice,
  sampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startTelemetrySink } from "../../telemetry-sink/src/telemetry-sink.js";
import { startFakeReceiver } from "../../telemetry-sink/src/testing/fake-receiver.js";
import {
  createRule,
  firing,
  judge,
  sampleAlert,
  sampleAlertRule,
  sampleWatch,
} from "../../testing/src/conformance/samples/alert-samples.js";
import { accept, refuse } from "../../webhooks/src/testing/receiver.js";
import { createWebhookWorld } from "../../webhooks/src/testing/webhook-world.js";
import {
  active,
  findDevices,
  openBreakableCells,
  sampleReport as report,
} from "./testing/breakable-cells.js";
import type { BreakableStore } from "./testing/breakable-store.js";

const [first, second, third] = findDevices();
let { home, cells, store, cellNumber, createRelease, sendReport, settle } = openBreakableCells();

beforeEach(() => {
  ({ home, cells, store, cellNumber, createRelease, sendReport, settle } = openBreakableCells());
});

test("§4 while the home is down, devices send telemetry with news of updates, and known offers continue", async () => {
  await registerSampleDevice(store, first);
  await createRelease();
  await sendReport(first, "offered");
  home.isDown = true;
  const sent = await store.telemetry.append({
    ...{ deviceId: first, receivedAt: sampleTime, records: [sampleRecord()], once: null },
    otaReports: [
      {
        ...{ record: 0, fingerprint: "failed", rules: sampleUpdateRules },
        event: { ...report(first, "failed"), source: "telemetry" },
      },
    ],
  });
  expect(sent).toMatchObject({ kind: "appended", reports: [{ state: "failed" }] });
  expect(await store.devices.find(first)).toMatchObject({ deviceId: first });
  const used = { deviceId: first, epoch: 1, now: sampleTime, event: sampleEvent(first) };
  expect(await store.devices.recordUse(used)).toEqual({ kind: "recorded" });
  expect(await store.releases.offerable()).toMatchObject([{ version: active.version }]);
  expect(await store.releases.find(1)).toMatchObject({ version: active.version });
  await expect(settle()).rejects.toThrow(StoreUnavailableError);
  await store.ping();
  home.isDown = false;
  const kinds = ["update.moved"] as const;
  const moves = await store.securityEvents.list({ after: 0, limit: 9, kinds });
  expect(moves.map(({ details }) => details["to"])).toEqual(["offered", "failed"]);
});

test("§4 while a cell is down, devices of other cells are served, and lists are refused instead of cut", async () => {
  for (const deviceId of [first, second, third]) await registerSampleDevice(store, deviceId);
  cellNumber(first).isDown = true;
  for (const deviceId of [second, third]) {
    const records = [sampleRecord()];
    const input = { deviceId, receivedAt: sampleTime, records, once: null };
    expect(await store.telemetry.append(input)).toMatchObject({ kind: "appended" });
  }
  for (const list of [
    () => store.devices.list({ ownerId: null, after: "", limit: 9 }),
    () => store.devices.find(first),
    () => store.securityEvents.list({ after: 0, limit: 9, complete: true }),
    () => store.securityEvents.newest({ before: 999, limit: 9, complete: true }),
    () => store.securityEvents.newest({ before: 999, limit: 9, deviceId: first }),
    () => store.telemetry.follow({ after: "", limit: 9 }),
  ]) {
    await expect(list()).rejects.toThrow(StoreUnavailableError);
  }
  // A follower of the event log misses nothing: the events of the cell that is down come later, with higher ids.
  const follow = async (after: number) =>
    (await store.securityEvents.list({ after, limit: 9 })).map(({ id, deviceId }) => ({
      id,
      deviceId,
    }));
  const followed = await follow(0);
  expect(followed.map(({ deviceId }) => deviceId).sort()).toEqual([second, third].sort());
  cellNumber(first).isDown = false;
  expect(await follow(followed.at(-1)?.id ?? 0)).toMatchObject([{ deviceId: first }]);
  await store.ping();
  for (const down of [home, ...cells]) down.isDown = true;
  await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
});

test("§8 while a cell is down, webhooks get the events of the others, those of owners too, and later all", async () => {
  const { add, claim, write, sender, receiver } = await createWebhookWorld(
    { forOwners: true },
    store,
  );
  await add({ kinds: ["device.registered"] });
  await add({ kinds: ["device.claimed"] }, receiver.url, "ann");
  await write(first, "device.registered");
  cellNumber(first).isDown = true;
  for (const deviceId of [second, third]) await write(deviceId, "device.registered");
  await claim(second, "ann");
  await sender.runRounds();
  const delivered = () =>
    receiver.received.map(({ type, deviceId }) => `${type} ${deviceId}`).sort();
  const ofOthers = [second, third].map((deviceId) => `device.registered ${deviceId}`);
  expect(delivered()).toEqual([`device.claimed ${second}`, ...ofOthers].sort());
  cellNumber(first).isDown = false;
  await sender.runRounds();
  expect(delivered()).toHaveLength(4);
  expect(delivered()).toContain(`device.registered ${first}`);
});

test("§8 webhooks hold back events of a cell that goes down before they are sent, and send those of others once", async () => {
  const world = await createWebhookWorld({ forOwners: true }, store);
  const { add, claim, write, sender, receiver, clock, manager, arrivals, actor } = world;
  const kinds = ["device.renamed"] as const;
  const { targetHardware } = sampleDevice(first).profile;
  await add({ kinds }, `${receiver.url}?all`);
  await add({ kinds, targetHardware: [targetHardware] }, `${receiver.url}?hardware`);
  await add({ kinds, targetHardware: ["another"] }, `${receiver.url}?another`);
  const ofAnn = await add({ kinds }, `${receiver.url}?ann`, "ann");
  await add({ kinds }, `${receiver.url}?bob`, "bob");
  for (const deviceId of [first, second]) {
    await write(deviceId, "device.registered");
    await claim(deviceId, "ann");
  }
  await write(first);
  await store.securityEvents.newest({ before: 999, limit: 1 });
  cellNumber(first).isDown = true;
  await write(second);
  const rounds = async (count: number) => {
    for (let n = 0; n < count; n++) {
      await sender.runRounds();
      clock.advance(60_000);
    }
  };
  await rounds(3);
  const countOf = (deviceId: string) => arrivals().filter((each) => each === deviceId).length;
  expect([countOf(first), countOf(second)]).toEqual([1, 3]);
  await manager.replay({ id: ofAnn.endpoint.id, from: 0, actor });
  await rounds(2);
  expect([countOf(first), countOf(second)]).toEqual([1, 4]);
  cellNumber(first).isDown = false;
  await rounds(2);
  expect([countOf(first), countOf(second)]).toEqual([3, 4]);
});

test("§8 an owner gets no event that waits for its cell, if the device was released meanwhile", async () => {
  const world = await createWebhookWorld({ forOwners: true }, store);
  const { add, claim, release, write, sender, clock, arrivals, receiver, messages } = world;
  const { endpoint } = await add({ kinds: ["device.renamed"] }, receiver.url, "ann");
  await write(first, "device.registered");
  await claim(first, "ann");
  await write(first);
  await store.securityEvents.newest({ before: 999, limit: 1 });
  await release(first, "ann");
  cellNumber(first).isDown = true;
  await sender.runRounds();
  cellNumber(first).isDown = false;
  clock.advance(60_000);
  await sender.runRounds();
  expect(arrivals()).toEqual([]);
  expect(await messages(endpoint.id)).toEqual({ waiting: [], dead: [] });
});

test("§8 a failing endpoint is tried with messages of other devices while a cell is down", async () => {
  const { add, write, sender, clock, arrivals, receiver, messages, claim } =
    await createWebhookWorld({ forOwners: true }, store);
  const { endpoint } = await add({ kinds: ["device.renamed"] }, receiver.url, "ann");
  for (const deviceId of [first, second]) {
    await write(deviceId, "device.registered");
    await claim(deviceId, "ann");
    await write(deviceId);
  }
  receiver.answer = refuse;
  await sender.runRounds();
  expect((await messages(endpoint.id)).waiting).toHaveLength(2);
  cellNumber(first).isDown = true;
  receiver.answer = accept;
  receiver.received.length = 0;
  for (let n = 0; n < 3; n++) {
    clock.advance(60_000);
    await sender.runRounds();
  }
  expect(arrivals()).toEqual([second]);
});

test("the telemetry sink stores no cursor while a cell is down, because the cell may fail over", async () => {
  await registerSampleDevice(store, second);
  const send = (seq: number) =>
    store.telemetry.append({
      ...{ deviceId: second, receivedAt: sampleTime, once: null },
      records: [sampleRecord({ at: sampleTime + seq, value: { n: seq } })],
    });
  const advance = vi.fn(store.followers.advance);
  const followers = { ...store.followers, advance };
  const since = vi.fn(store.changes.since);
  const database = await startFakeReceiver();
  onTestFinished(() => database.close());
  database.answer((lines) => {
    if (lines.some((line) => line.includes(" n=1 "))) {
      void send(2);
    } else {
      // The first record has become safe meanwhile, so the sink would store its cursor.
      cellNumber(second).isDown = true;
      advance.mockClear();
      since.mockClear();
    }
    return 204;
  });
  const sink = startTelemetrySink(
    { ...store, followers, changes: { ...store.changes, since } },
    { url: database.url, pollMs: 5, settleMs: 1 },
  );
  onTestFinished(() => sink.stop());
  await send(1);
  await expect.poll(() => since.mock.calls.length).toBeGreaterThan(5);
  expect(advance).not.toHaveBeenCalled();
  database.answer(() => 204);
  cellNumber(second).isDown = false;
  await expect.poll(() => advance.mock.calls.length).toBeGreaterThan(0);
});

test("§2 while a store is down or silent, the change feed has the changes of the others, and later all", async () => {
  for (const deviceId of [first, second]) await registerSampleDevice(store, deviceId);
  const { cursor } = await store.changes.since(null);
  const change = async (deviceId: string) => {
    const used = { deviceId, epoch: 1, now: sampleTime, event: sampleEvent(deviceId) };
    await store.devices.recordUse(used);
  };
  for (const deviceId of [first, second]) await change(deviceId);
  cellNumber(first).isDown = true;
  const partial = await store.changes.since(cursor);
  expect(partial).toMatchObject({ kind: "changes", deviceIds: [second] });
  expect([first, second].map((deviceId) => partial.isUnread?.(deviceId))).toEqual([true, false]);
  cellNumber(first).isDown = false;
  const whole = await store.changes.since(partial.cursor);
  expect(whole).toMatchObject({ kind: "changes", deviceIds: [first] });
  expect(whole.isUnread).toBeUndefined();
  home.isDown = true;
  const withoutHome = await store.changes.since(whole.cursor);
  expect(withoutHome).toMatchObject({ kind: "changes", deviceIds: [] });
  expect(withoutHome.isUnread?.(first)).toBe(false);
  home.isDown = false;

  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answer = cellNumber(first).silence();
  await registerSampleDevice(store, third);
  const silent = store.changes.since(whole.cursor);
  await vi.advanceTimersByTimeAsync(1_000);
  const read = await silent;
  expect(read).toMatchObject({ deviceIds: [third] });
  expect(read.isUnread?.(first)).toBe(true);
  const next = await store.changes.since(read.cursor);
  expect(next.isUnread?.(first), "nobody waits for the silent store again").toBe(true);
  answer();
  await vi.advanceTimersByTimeAsync(0);
  expect((await store.changes.since(next.cursor)).isUnread).toBeUndefined();

  for (const each of [home, ...cells]) each.isDown = true;
  await expect(store.changes.since(next.cursor)).rejects.toThrow(StoreUnavailableError);
});

test("§9 while a cell is down, maintenance continues in the others and then reports it", async () => {
  for (const deviceId of [first, second, third]) {
    await registerSampleDevice(store, deviceId, { firstUsedAt: 1 });
    const input = { deviceId, receivedAt: sampleTime, records: [sampleRecord()], once: null };
    await store.telemetry.append(input);
  }
  cellNumber(first).isDown = true;
  const prune = () => store.telemetry.prune({ receivedBefore: sampleTime + 1, limit: 99 });
  await expect(prune()).rejects.toThrow(StoreUnavailableError);
  cellNumber(first).isDown = false;
  expect(await prune(), "only the records of the cell that was down are left").toBe(1);
});

test("§9 while a cell is down, steps of maintenance report it only when the others have nothing left", async () => {
  for (const deviceId of [first, second, third]) {
    const moved = { ...sampleEvent(deviceId), kind: "update.moved" as const };
    await store.devices.register({ device: sampleDevice(deviceId), event: moved });
    for (const n of [1, 2, 3]) {
      const records = [sampleRecord({ at: sampleTime + n })];
      const input = { deviceId, receivedAt: sampleTime, records, once: null };
      await store.telemetry.append(input);
    }
  }
  await store.securityEvents.list({ after: 0, limit: 1 });
  cellNumber(first).isDown = true;
  const later = 2 * sampleTime;
  const kind = "update.moved";
  for (const [step, left] of [
    [() => store.telemetry.prune({ receivedBefore: later, limit: 1 }), 6],
    [() => store.securityEvents.prune({ kind, before: later, limit: 1 }), 3],
  ] as const) {
    for (let n = 0; n < left; n++) expect(await step()).toBe(1);
    await expect(step()).rejects.toThrow(StoreUnavailableError);
  }
  for (const { store: each } of [home, ...cells.filter((cell) => cell !== cellNumber(first))]) {
    expect(await each.securityEvents.list({ after: 0, limit: 9 })).toEqual([]);
  }
});

test("while a cell is down, a step of roll-ups reports it only when no other cell has more", async () => {
  const { telemetry } = cellNumber(second).store;
  const outcomes = [
    { built: 0, more: true },
    { built: 2, more: false },
  ];
  // The memory store builds no roll-ups. SQLite takes several steps to find the hours of many records.
  Object.assign(telemetry, { rollUp: async () => outcomes.shift() });
  cellNumber(first).isDown = true;
  const rollUp = () => store.telemetry.rollUp({ before: sampleTime, limit: 9 });
  expect(await rollUp()).toEqual({ built: 0, more: true });
  await expect(rollUp()).rejects.toThrow(StoreUnavailableError);
  expect(outcomes).toEqual([]);
});

/** Begins updates of the first two devices. Returns a gateway 25 hours later. */
async function openGatewayAfterUpdates() {
  await createRelease();
  for (const deviceId of [first, second]) {
    await registerSampleDevice(store, deviceId, { firstUsedAt: sampleTime });
    await sendReport(deviceId, "offered");
    await sendReport(deviceId, "downloading");
  }
  const clock = createFakeClock(sampleTime + 25 * 3_600_000);
  return createGateway({ store, secrets: generateSecrets(), clock });
}

test("an update that cannot be ended does not stop the time-outs of others", async () => {
  const gateway = await openGatewayAfterUpdates();
  const report = async () => {
    throw new StoreUnavailableError("The database is down.");
  };
  Object.assign(cellNumber(first).store.updates, { report });
  await expect(gateway.maintain()).rejects.toThrow(StoreUnavailableError);
  expect(await store.updates.list(second)).toMatchObject([{ state: "timed_out" }]);
});

test("while a cell is down, updates of the other cells time out", async () => {
  const gateway = await openGatewayAfterUpdates();
  cellNumber(first).isDown = true;
  await expect(gateway.maintain()).rejects.toThrow();
  expect(await store.updates.list(second)).toMatchObject([{ state: "timed_out" }]);
  cellNumber(first).isDown = false;
  expect((await gateway.maintain()).timedOutUpdates).toBe(1);
  expect(await store.updates.list(first)).toMatchObject([{ state: "timed_out" }]);
  for (const down of cells) down.isDown = true;
  const overdue = store.updates.overdue({ before: sampleTime, silentSince: sampleTime, limit: 9 });
  await expect(overdue).rejects.toThrow(StoreUnavailableError);
});

test("while the home is down, the newest copy of a release in any cell decides whether it is offered", async () => {
  await createRelease();
  const changeWithout = async (missing: BreakableStore, status: "paused" | "active") => {
    home.isDown = false;
    missing.isDown = true;
    const { revision: expectedRevision = 0 } = (await store.releases.find(1)) ?? {};
    const event = sampleSecurityEvent("", "release.changed");
    await store.releases.change({ id: 1, expectedRevision, changes: { status }, event });
    missing.isDown = false;
    home.isDown = true;
  };
  for (const missing of cells) {
    await changeWithout(missing, "paused");
    expect(await store.releases.offerable()).toEqual([]);
    expect(await store.releases.find(1)).toMatchObject({ status: "paused" });
    await changeWithout(missing, "active");
    expect(await store.releases.offerable()).toMatchObject([{ id: 1, status: "active" }]);
  }
  for (const down of cells) down.isDown = true;
  await expect(store.releases.offerable()).rejects.toThrow(StoreUnavailableError);
});

test("§8 while a cell is down, alerts of the others are delivered once, and rules are known to exist", async () => {
  for (const deviceId of [first, second]) {
    await registerSampleDevice(store, deviceId, sampleOwnership());
  }
  await createRule(store, sampleAlertRule("rule-1"));
  const alert = sampleAlert("a1", { subject: second, deviceId: second });
  await judge(store, [firing(alert)], { watch: sampleWatch(second) });
  cellNumber(first).isDown = true;
  expect(await store.alerts.ruleScope()).toMatchObject({ any: true });
  const [now, until] = [sampleTime + 9_000, sampleTime + 99_000];
  const [taken] = await store.alerts.takeNotifications({ now, until, limit: 9 });
  expect(taken).toMatchObject({ alertId: "a1" });
  const settled = { id: taken?.id ?? "", attempts: 1, delivered: ["mail"], retryAt: null };
  await store.alerts.settleNotification(settled);
  const later = { now: until, until: until + 9, limit: 9 };
  await expect(store.alerts.takeNotifications(later)).rejects.toThrow(StoreUnavailableError);
  cellNumber(first).isDown = false;
  expect(await store.alerts.takeNotifications(later)).toEqual([]);
  for (const down of [home, ...cells]) down.isDown = true;
  await expect(store.alerts.settleNotification(settled)).rejects.toThrow(StoreUnavailableError);
});
