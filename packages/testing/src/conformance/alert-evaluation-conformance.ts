import type { Alert, GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  alertEvent,
  createRule,
  firing,
  judge,
  registerWatchedDevice,
  sampleAlert,
  sampleAlertRule,
  sampleNotification,
  sampleWatch,
} from "./samples/alert-samples.js";
import { registerSampleDevice, sampleOwnership, sampleTime } from "./samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const later = sampleTime + 60_000;
const soon = { now: later, until: later + 99_000, limit: 9 };
const queuedIds = async (store: GatewayStore) =>
  (await store.alerts.takeNotifications(soon)).map(({ id }) => id);

const clear = (alert: Alert, at = later) => ({
  ...{ kind: "cleared" as const, alertId: alert.id, at, event: alertEvent("alert.cleared") },
  notification: sampleNotification(alert, { id: `${alert.id}-cleared`, kind: "cleared", at }),
});

/** Cases for the judgements of `AlertStore`. */
export const alertEvaluationCases: readonly StoreCase[] = [
  toCase("judge: watch, alert, event and notification are written together", async ([a, b]) => {
    await registerWatchedDevice(a);
    const alert = sampleAlert("a1");
    expect(await judge(a, [firing(alert)])).toEqual({ kind: "judged" });
    expect(await b.alerts.findWatch("gw-1")).toEqual(sampleWatch("gw-1"));
    expect(await b.alerts.find("a1")).toEqual(alert);
    expect(await b.alerts.firing(["gw-1", "gw-2"])).toEqual([alert]);
    const watch = sampleWatch("gw-1", { revision: 2, content: {}, silentAt: later });
    const twice = [clear(alert), clear(alert, later + 5)];
    expect(await judge(b, twice, { watch, expectedRevision: 1 })).toEqual({ kind: "judged" });
    expect(await a.alerts.findWatch("gw-1")).toEqual(watch);
    expect(await a.alerts.find("a1")).toEqual({ ...alert, clearedAt: later });
    expect(await a.alerts.firing(["gw-1"])).toEqual([]);
    const events = await a.securityEvents.list({ after: 0, limit: 9 });
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind.startsWith("alert."));
    expect(kinds).toEqual(["alert.firing", "alert.cleared"]);
    expect(await queuedIds(b)).toEqual(["a1-firing", "a1-cleared"]);
  }),

  toCase(
    "judge: conflicts if the watch or the owner changed, and writes nothing",
    async ([a, b]) => {
      await registerWatchedDevice(a);
      const conflict = { kind: "conflict" };
      const all = [firing(sampleAlert("a1"))];
      expect(await judge(b, all, { expectedRevision: 1 })).toEqual(conflict);
      expect(await judge(b, all, { owner: null })).toEqual(conflict);
      const owner = { ownerId: "owner", claimedAt: sampleTime };
      expect(await judge(b, all, { owner })).toEqual(conflict);
      expect(await judge(b, all, { watch: sampleWatch("gw-2") })).toEqual(conflict);
      expect(await a.alerts.findWatch("gw-1")).toBeNull();
      expect(await a.alerts.find("a1")).toBeNull();
      await judge(a, []);
      expect(await judge(b, all)).toEqual(conflict);
      const events = await a.securityEvents.list({ after: 0, limit: 9 });
      expect(events.map(({ kind }) => kind)).not.toContain("alert.firing");
    },
  ),

  toCase("judge: leaves out what no longer applies", async ([a, b]) => {
    await registerWatchedDevice(a);
    await registerSampleDevice(a, "gw-2", sampleOwnership("other"));
    const first = sampleAlert("a1");
    const others = [
      sampleAlert("a2"),
      sampleAlert("a3", { ruleId: "removed" }),
      sampleAlert("a4", { subject: "gw-2", deviceId: "gw-2" }),
      // Erased after its events were read.
      sampleAlert("a5", { ownerId: null, subject: "gw-3", deviceId: "gw-3" }),
    ];
    await judge(a, [first, ...others].map(firing));
    for (const { id } of others) expect(await b.alerts.find(id)).toBeNull();
    await a.alerts.acknowledge({ id: "a1", by: "ann", at: later });
    await a.alerts.acknowledge({ id: "a1", by: "bob", at: later + 1 });
    expect(await b.alerts.find("a1")).toMatchObject({
      acknowledgedAt: later,
      acknowledgedBy: "ann",
    });
    const notification = sampleNotification(first, { id: "r1", kind: "reminder" });
    const remind = { kind: "reminded", alertId: "a1", at: later, notification } as const;
    const watch = sampleWatch("gw-1", { revision: 2 });
    await judge(a, [remind], { watch, expectedRevision: 1 });
    expect((await b.alerts.find("a1"))?.remindedAt).toBeNull();
    expect(await queuedIds(b)).toEqual(["a1-firing"]);
    expect(await b.alerts.acknowledge({ id: "a9", by: "ann", at: 1 })).toEqual({ kind: "unknown" });
  }),

  toCase("judge: a mute holds for later alerts of the same rule and device", async ([a, b]) => {
    await registerWatchedDevice(a);
    const first = sampleAlert("a1");
    await judge(a, [firing(first)]);
    await b.alerts.mute({ id: "a1", until: later });
    const step = (revision: number, transitions: Parameters<typeof judge>[1]) =>
      judge(a, transitions, {
        watch: sampleWatch("gw-1", { revision }),
        expectedRevision: revision - 1,
      });
    await step(2, [{ ...clear(first), notification: null }]);
    const second = sampleAlert("a2", { firedAt: later - 1 });
    await step(3, [firing(second)]);
    expect(await b.alerts.find("a2")).toEqual({ ...second, mutedUntil: later });
    await step(4, [{ ...clear(second), notification: null }]);
    const third = sampleAlert("a3", { firedAt: later });
    await step(5, [firing(third)]);
    expect(await b.alerts.find("a3")).toEqual(third);
    expect(await queuedIds(b)).toEqual(["a1-firing", "a3-firing"]);
    expect(await b.alerts.mute({ id: "a9", until: null })).toEqual({ kind: "unknown" });
  }),

  toCase(
    "judge: the end of a mute holds for later alerts, whichever alert has it",
    async ([a, b]) => {
      await registerWatchedDevice(a);
      let revision = 0;
      const step = async (transitions: Parameters<typeof judge>[1]) => {
        revision += 1;
        const expectedRevision = revision === 1 ? null : revision - 1;
        return judge(a, transitions, {
          watch: sampleWatch("gw-1", { revision }),
          expectedRevision,
        });
      };
      const alerts = [0, 1, 2, 3].map((n) => sampleAlert(`a${n}`, { firedAt: sampleTime + n }));
      const [first, second, third, fourth] = alerts as [Alert, Alert, Alert, Alert];
      const mutedUntil = async (id: string) => (await b.alerts.find(id))?.mutedUntil;
      await step([firing(first)]);
      await b.alerts.mute({ id: "a0", until: later });
      await step([clear(first), firing(second)]);
      await b.alerts.mute({ id: "a1", until: null });
      await step([clear(second), firing(third)]);
      expect([await mutedUntil("a1"), await mutedUntil("a2")]).toEqual([null, null]);
      // The mute of an older alert holds for the later one that fires, and for those after it.
      await b.alerts.mute({ id: "a0", until: later + 5 });
      expect(await mutedUntil("a2")).toBe(later + 5);
      await step([clear(third), firing(fourth)]);
      expect(await mutedUntil("a3")).toBe(later + 5);
    },
  ),

  toCase(
    "judge: one judgement fires and clears alerts of many rules and devices, in order",
    async ([a, b]) => {
      const deviceIds = ["gw-1", "gw-2", "gw-3"];
      for (const id of deviceIds) await registerSampleDevice(a, id, sampleOwnership());
      await createRule(a, sampleAlertRule("r1"));
      await createRule(a, sampleAlertRule("r2", { ownerId: null }));
      const alertOf = (id: string, subject: string, changes: Partial<Alert> = {}) =>
        sampleAlert(id, { ruleId: "r1", subject, deviceId: subject, ...changes });
      const ofFleet = { ruleId: "r2", ownerId: null };
      const step = (revision: number, transitions: Parameters<typeof judge>[1]) =>
        judge(a, transitions, {
          watch: sampleWatch("", { revision }),
          expectedRevision: revision === 1 ? null : revision - 1,
          owner: null,
        });
      const first = deviceIds.flatMap((id) => [
        alertOf(`${id}-a`, id),
        alertOf(`${id}-b`, id, ofFleet),
      ]);
      await step(1, first.toReversed().map(firing));
      expect((await b.alerts.firing(deviceIds)).map(({ id }) => id)).toEqual(
        first.map(({ id }) => id),
      );
      await b.alerts.mute({ id: "gw-1-a", until: later });
      const soonAfter = { firedAt: later - 1 };
      const [again, third] = ["gw-1-c", "gw-1-d"].map((id) => alertOf(id, "gw-1", soonAfter));
      const other = alertOf("gw-2-c", "gw-2", soonAfter);
      const [before, , otherBefore] = first;
      if (!before || !again || !third || !otherBefore) throw new Error("An alert is missing.");
      await step(2, [
        ...[clear(before), firing(again), clear(again), firing(third)],
        ...[clear(otherBefore), firing(other)],
      ]);
      const left = ["gw-1-b", "gw-1-d", "gw-2-b", "gw-2-c", "gw-3-a", "gw-3-b"];
      const found = await b.alerts.firing(deviceIds);
      expect(found.map(({ id }) => id)).toEqual(left);
      expect(await b.alerts.find("gw-1-c")).toMatchObject({ clearedAt: later, mutedUntil: later });
      // Both alerts of gw-1 inherit the mute, and the alert of gw-2 does not.
      const muted = found.filter(({ mutedUntil }) => mutedUntil !== null);
      expect(muted.map(({ id }) => id)).toEqual(["gw-1-d"]);
      const queued = await b.alerts.takeNotifications({ ...soon, limit: 99 });
      const ids = queued.filter(({ kind }) => kind === "firing").map(({ alertId }) => alertId);
      expect(ids.sort()).toEqual([...first.map(({ id }) => id), "gw-2-c"].sort());
    },
  ),

  toRace("judge: exactly one of many racers judges a revision", async (handles) => {
    await registerWatchedDevice(handles[0]);
    for (let round = 0; round < 8; round++) {
      const expectedRevision = round === 0 ? null : round;
      const watch = sampleWatch("gw-1", { revision: round + 1 });
      const outcomes = await race(handles, 8, (store, racer) =>
        judge(store, [], { watch: { ...watch, content: { racer } }, expectedRevision }),
      );
      const winner = onlyIndexOf(outcomes, "judged");
      expect(winner, "the only winner").not.toBe(-1);
      const found = await handles[1].alerts.findWatch("gw-1");
      expect(found?.content).toEqual({ racer: winner });
    }
  }),

  toCase("alerts: are listed latest first, by device and in pages", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1", sampleOwnership());
    await registerSampleDevice(a, "gw-2", sampleOwnership());
    for (const id of ["r1", "r2", "r3"]) await createRule(a, sampleAlertRule(id));
    const alerts = [
      sampleAlert("x", { ruleId: "r1", firedAt: later }),
      sampleAlert("b", { ruleId: "r2" }),
      sampleAlert("a", { ruleId: "r3" }),
    ];
    await judge(a, alerts.map(firing));
    const other = sampleAlert("z", { ruleId: "r1", subject: "gw-2", deviceId: "gw-2" });
    await judge(a, [firing(other), clear(other)], { watch: sampleWatch("gw-2") });
    const list = async (query: Partial<Parameters<GatewayStore["alerts"]["list"]>[0]>) => {
      const every = { ownerId: "owner", deviceId: null, firing: false, before: null, limit: 9 };
      return (await b.alerts.list({ ...every, ...query })).map(({ id }) => id);
    };
    expect(await list({})).toEqual(["x", "z", "b", "a"]);
    expect(await list({ firing: true })).toEqual(["x", "b", "a"]);
    expect(await list({ deviceId: "gw-2" })).toEqual(["z"]);
    expect(await list({ deviceId: "gw-2", firing: true })).toEqual([]);
    expect(await list({ limit: 2 })).toEqual(["x", "z"]);
    expect(await list({ before: { firedAt: sampleTime, id: "z" } })).toEqual(["b", "a"]);
    expect(await list({ ownerId: null })).toEqual([]);
    expect(await b.alerts.prune({ clearedBefore: later, limit: 9 })).toBe(0);
    expect(await b.alerts.prune({ clearedBefore: later + 1, limit: 9 })).toBe(1);
    expect(await list({})).toEqual(["x", "b", "a"]);
  }),
];
