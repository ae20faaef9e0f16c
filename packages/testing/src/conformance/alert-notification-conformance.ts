import type { Alert, AlertTransition } from "@device-gateway/core/store";
import { expect } from "vitest";
import {
  alertEvent,
  createRule,
  firing,
  judge,
  sampleAlert,
  sampleAlertRule,
  sampleNotification,
  sampleWatch,
} from "./samples/alert-samples.js";
import { registerSampleDevice, sampleOwnership, sampleTime } from "./samples/samples.js";
import { race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const soon = { now: sampleTime + 9_000, until: sampleTime + 99_000, limit: 9 };

const clearing = (alert: Alert): AlertTransition => ({
  ...{ kind: "cleared", alertId: alert.id, at: alert.firedAt, event: alertEvent("alert.cleared") },
  notification: sampleNotification(alert, { id: `${alert.id}-cleared`, kind: "cleared" }),
});

/** Cases for the notifications of `AlertStore`: each is taken by one caller, until it is due again. */
export const alertNotificationCases: readonly StoreCase[] = [
  toCase(
    "alerts: notifications are taken once, and again when they are due again",
    async ([a, b]) => {
      await createRule(a, sampleAlertRule("rule-1"));
      const alert = sampleAlert("a1", { subject: "release/1", deviceId: "" });
      await judge(a, [firing(alert)], { watch: sampleWatch(""), owner: null });
      expect(await b.alerts.takeNotifications({ ...soon, now: sampleTime - 1 })).toEqual([]);
      const queued = sampleNotification(alert);
      const { now, until } = soon;
      expect(await b.alerts.takeNotifications(soon)).toEqual([
        { ...queued, dueAt: until, attempts: 1 },
      ]);
      expect(await a.alerts.takeNotifications(soon)).toEqual([]);
      const settle = (attempts: number, retryAt: number | null) =>
        a.alerts.settleNotification({ id: queued.id, attempts, delivered: ["push"], retryAt });
      await settle(1, now + 5);
      expect(await b.alerts.takeNotifications({ ...soon, now: now + 5 })).toEqual([
        { ...queued, dueAt: until, attempts: 2, delivered: ["push"] },
      ]);
      await settle(2, null);
      expect(await b.alerts.takeNotifications({ ...soon, now: until })).toEqual([]);
    },
  ),

  toCase(
    "alerts: a notification that another caller has taken since is not postponed",
    async ([a, b]) => {
      await createRule(a, sampleAlertRule("rule-1"));
      const alert = sampleAlert("a1", { subject: "release/1", deviceId: "" });
      await judge(a, [firing(alert)], { watch: sampleWatch(""), owner: null });
      const { id } = sampleNotification(alert);
      const { until } = soon;
      const later = { ...soon, now: until, until: until + 90_000 };
      await a.alerts.takeNotifications(soon);
      await b.alerts.takeNotifications(later);
      const postpone = (attempts: number, delivered: readonly string[]) =>
        a.alerts.settleNotification({ id, attempts, delivered, retryAt: until + 5 });
      await postpone(1, []);
      const at = { ...later, now: until + 5 };
      expect(await b.alerts.takeNotifications(at)).toEqual([]);
      await postpone(2, ["push"]);
      expect(await b.alerts.takeNotifications(at)).toMatchObject([
        { id, attempts: 3, delivered: ["push"] },
      ]);
      await a.alerts.settleNotification({ id, attempts: 1, delivered: [], retryAt: null });
      expect(await b.alerts.takeNotifications({ ...at, now: at.until })).toEqual([]);
    },
  ),

  toCase("alerts: a notification is due if a clock far ahead postponed it", async ([a, b]) => {
    await createRule(a, sampleAlertRule("rule-1"));
    const alerts = ["late", "wrong"].map((id) =>
      sampleAlert(id, { subject: `release/${id}`, deviceId: "" }),
    );
    await judge(a, alerts.map(firing), { watch: sampleWatch(""), owner: null });
    const [late, wrong] = alerts.map((alert) => sampleNotification(alert));
    const latest = soon.until + 1;
    await a.alerts.takeNotifications(soon);
    for (const [one, retryAt] of [
      [late, latest],
      [wrong, latest + 1],
    ] as const) {
      const settled = { id: one?.id ?? "", attempts: 1, delivered: ["push"], retryAt };
      await a.alerts.settleNotification(settled);
    }
    expect(await b.alerts.takeNotifications(soon)).toEqual([]);
    expect(await b.alerts.takeNotifications({ ...soon, latest })).toEqual([
      { ...wrong, dueAt: soon.until, attempts: 2, delivered: ["push"] },
    ]);
    expect(await a.alerts.takeNotifications({ ...soon, latest })).toEqual([]);
  }),

  toCase(
    "alerts: a recipient with hundreds of notifications does not delay those of others",
    async ([a, b]) => {
      const recipients = ["owner", "ann", "bob", "eve"];
      for (const [n, ownerId] of recipients.entries()) {
        await registerSampleDevice(a, `gw-${n + 1}`, sampleOwnership(ownerId));
        await createRule(a, sampleAlertRule(`rule-${n + 1}`, { ownerId }));
      }
      await createRule(a, sampleAlertRule("fleet", { ownerId: null }));
      // Each judgement is small enough for the deadline of a call, also on a busy machine.
      for (let revision = 1; revision <= 15; revision++) {
        const flood = Array.from({ length: 10 }, (_, n) => sampleAlert(`flood-${revision}-${n}`));
        await judge(
          a,
          flood.flatMap((alert) => [firing(alert), clearing(alert)]),
          {
            watch: sampleWatch("gw-1", { revision }),
            expectedRevision: revision === 1 ? null : revision - 1,
          },
        );
      }
      for (const [n, ownerId] of recipients.entries()) {
        if (n === 0) continue;
        const subject = `gw-${n + 1}`;
        const about = { ruleId: `rule-${n + 1}`, ownerId, subject, deviceId: subject };
        await judge(a, [firing(sampleAlert(ownerId, { ...about, firedAt: sampleTime + 9 }))], {
          watch: sampleWatch(subject),
          owner: { ownerId, claimedAt: sampleTime + 1 },
        });
      }
      const ofFleet = { ruleId: "fleet", ownerId: null, subject: "release/1", deviceId: "" };
      const fleet = sampleAlert("fleet", { ...ofFleet, firedAt: sampleTime + 9 });
      await judge(a, [firing(fleet)], { watch: sampleWatch(""), owner: null });
      const { now, until } = soon;
      const taken = await b.alerts.takeNotifications({ now, until, limit: 20 });
      const owners = new Set(taken.map(({ ownerId }) => ownerId));
      expect(owners).toEqual(new Set([...recipients, null]));
      const rest = await b.alerts.takeNotifications({ now, until, limit: 20 });
      expect(rest.map(({ ownerId }) => ownerId)).toEqual(Array(20).fill("owner"));
    },
  ),

  toRace("alerts: each notification is taken by one of many racers", async (handles) => {
    const [a] = handles;
    await createRule(a, sampleAlertRule("rule-1"));
    for (let round = 0; round < 8; round++) {
      const alert = sampleAlert(`a${round}`, { subject: `release/${round}`, deviceId: "" });
      const watch = sampleWatch("", { revision: round + 1 });
      const expectedRevision = round === 0 ? null : round;
      await judge(a, [firing(alert)], { watch, expectedRevision, owner: null });
      const taken = await race(handles, 8, (store) => store.alerts.takeNotifications(soon));
      expect(taken.flat(), "taken once").toHaveLength(1);
    }
  }),
];
