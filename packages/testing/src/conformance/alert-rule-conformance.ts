import { expect } from "vitest";
import {
  alertEvent,
  createRule,
  firing,
  judge,
  sampleAlert,
  sampleAlertRule,
  sampleWatch,
} from "./samples/alert-samples.js";
import {
  registerSampleDevice,
  sampleEvent,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const everything = { ownerId: "owner", deviceId: null, firing: false, before: null, limit: 9 };
const soon = { now: sampleTime + 9_000, until: sampleTime + 99_000, limit: 9 };

/** Cases for the rules of `AlertStore`, and for what ends them. */
export const alertRuleCases: readonly StoreCase[] = [
  toCase("alert rules: are read back as stored, by owner and in pages", async ([a, b]) => {
    expect(await b.alerts.ruleScope()).toEqual({ any: false, fleet: false });
    const rules = ["b", "a", "C"].map((id) => sampleAlertRule(id));
    for (const rule of rules) expect(await createRule(a, rule)).toEqual({ kind: "created" });
    expect(await b.alerts.ruleScope()).toEqual({ any: true, fleet: false });
    const ofFleet = sampleAlertRule("d", { ownerId: null, targetHardware: "gw-2" });
    await createRule(a, ofFleet);
    expect(await b.alerts.ruleScope()).toEqual({ any: true, fleet: true });
    const [second, first, third] = rules;
    expect(await b.alerts.findRule("b")).toEqual(second);
    expect(await b.alerts.findRule("B")).toBeNull();
    const list = (ownerId: string | null, after = "", limit = 9) =>
      b.alerts.listRules({ ownerId, after, limit });
    expect(await list("owner")).toEqual([third, first, second]);
    expect(await list("owner", "C", 1)).toEqual([first]);
    expect(await list(null)).toEqual([ofFleet]);
    expect(await list("Owner")).toEqual([]);
    expect(await b.alerts.rulesOf([null, "owner", "other"])).toEqual([
      ...[third, first, second],
      ofFleet,
    ]);
    expect(await b.alerts.rulesOf(["other"])).toEqual([]);
    const kinds = (await b.securityEvents.list({ after: 0, limit: 9 })).map(({ kind }) => kind);
    expect(kinds).toEqual(Array(4).fill("alert_rule.created"));
  }),

  toCase("alert rules: only for a device of their owner", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1", sampleOwnership());
    const rule = sampleAlertRule("rule-1", { deviceId: "gw-1" });
    const other = { kind: "unknown_device" };
    expect(await createRule(b, { ...rule, ownerId: "other" })).toEqual(other);
    expect(await createRule(b, { ...rule, deviceId: "gw-2" })).toEqual(other);
    expect(await createRule(b, rule)).toEqual({ kind: "created" });
    expect(await a.securityEvents.list({ after: 0, limit: 9 })).toHaveLength(2);
  }),

  toRace("alert rules: racers never create more than allowed", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const ownerId = `owner-${round}`;
      const outcomes = await race(handles, 8, (store, racer) =>
        createRule(store, sampleAlertRule(`${round}-${racer}`, { ownerId }), 1),
      );
      expect(onlyIndexOf(outcomes, "created"), "the only one").not.toBe(-1);
      expect(outcomes.filter(({ kind }) => kind === "too_many")).toHaveLength(7);
    }
  }),

  toRace("alert rules: exactly one of many racers replaces a revision", async (handles) => {
    const rule = sampleAlertRule("rule-1");
    await createRule(handles[0], rule);
    for (let expectedRevision = 1; expectedRevision < 9; expectedRevision++) {
      const outcomes = await race(handles, 8, (store, racer) =>
        store.alerts.replaceRule({
          rule: { ...rule, revision: expectedRevision + 1, name: `Name ${racer}` },
          ...{ expectedRevision, event: alertEvent("alert_rule.changed", "") },
        }),
      );
      const winner = onlyIndexOf(outcomes, "replaced");
      expect(winner, "the only winner").not.toBe(-1);
      expect((await handles[1].alerts.findRule("rule-1"))?.name).toBe(`Name ${winner}`);
    }
  }),

  toCase("alert rules: are removed with their alerts, some at a time", async ([a, b]) => {
    await createRule(a, sampleAlertRule("rule-1"));
    await createRule(a, sampleAlertRule("rule-2"));
    const subjects = ["release/1", "release/2", "release/3"];
    const alerts = subjects.map((subject, n) =>
      sampleAlert(`alert-${n}`, { subject, deviceId: "" }),
    );
    const kept = sampleAlert("kept", { ruleId: "rule-2", subject: "release/1", deviceId: "" });
    const watch = sampleWatch("");
    await judge(a, [...alerts, kept].map(firing), { watch, owner: null });
    const event = alertEvent("alert_rule.removed", "");
    const remove = () => b.alerts.removeRule({ id: "rule-1", limit: 2, event });
    expect(await remove()).toEqual({ kind: "more" });
    expect(await a.alerts.findRule("rule-1")).not.toBeNull();
    expect(await remove()).toEqual({ kind: "removed" });
    expect(await remove()).toEqual({ kind: "unknown" });
    expect(await a.alerts.list(everything)).toEqual([kept]);
    const queued = await b.alerts.takeNotifications(soon);
    expect(queued.map(({ alertId }) => alertId)).toEqual(["kept"]);
    const kinds = (await b.securityEvents.list({ after: 6, limit: 9 })).map(({ kind }) => kind);
    expect(kinds.at(-1)).toBe("alert_rule.removed");
  }),

  toCase(
    "alerts: a release ends the owner's rules, alerts and mail for the device",
    async ([a, b]) => {
      for (const id of ["gw-1", "gw-2"]) await registerSampleDevice(a, id, sampleOwnership());
      const [all, one, fleet] = [
        sampleAlertRule("all"),
        sampleAlertRule("one", { deviceId: "gw-1" }),
        sampleAlertRule("fleet", { ownerId: null }),
      ];
      for (const rule of [all, one, fleet]) await createRule(a, rule);
      const alerts = [
        sampleAlert("a1", { ruleId: "all" }),
        sampleAlert("a2", { ruleId: "one" }),
        sampleAlert("a3", { ruleId: "fleet", ownerId: null }),
      ];
      await judge(a, alerts.map(firing));
      const elsewhere = sampleAlert("a4", { ruleId: "all", subject: "gw-2", deviceId: "gw-2" });
      await judge(a, [firing(elsewhere)], { watch: sampleWatch("gw-2") });
      const event = sampleSecurityEvent("gw-1", "device.released");
      await b.claims.release({ deviceId: "gw-1", ownerId: "owner", spendCode: false, event });
      expect(await a.alerts.rulesOf(["owner", null])).toEqual([all, fleet]);
      expect(await a.alerts.list(everything)).toEqual([elsewhere]);
      expect(await b.alerts.firing(["gw-1"])).toEqual([alerts[2]]);
      const queued = await b.alerts.takeNotifications(soon);
      expect(queued.map(({ alertId }) => alertId)).toEqual(["a3", "a4"]);
    },
  ),

  toCase("alerts: end with the device, and a new device has none", async ([a, b]) => {
    for (const id of ["gw-1", "gw-2"]) {
      await registerSampleDevice(a, id, { ...sampleOwnership(), registeredAt: 0 });
    }
    await createRule(a, sampleAlertRule("rule-1", { ownerId: null }));
    const alert = sampleAlert("a1", { ownerId: null });
    await judge(a, [firing(alert)]);
    const event = sampleSecurityEvent("gw-1", "device.erased");
    await b.devices.erase({ deviceId: "gw-1", block: false, event });
    expect(await a.alerts.find("a1")).toBeNull();
    expect(await a.alerts.findWatch("gw-1")).toBeNull();
    expect(await a.alerts.takeNotifications(soon)).toEqual([]);
    await registerSampleDevice(b, "gw-3", { registeredAt: 0 });
    await judge(a, [], { watch: sampleWatch("gw-3"), owner: null });
    const drop = { ...sampleEvent(""), kind: "device.dropped" } as const;
    await b.devices.dropUnused({ deviceId: "gw-3", registeredBefore: 1, limit: 9, event: drop });
    expect(await a.alerts.findWatch("gw-3")).toBeNull();
  }),

  toRace("alerts: a release leaves none of a judgement at the same moment", async (handles) => {
    const [a, b] = handles;
    await createRule(a, sampleAlertRule("rule-1"));
    for (let round = 0; round < 8; round++) {
      const id = `gw-${round}`;
      await registerSampleDevice(a, id, sampleOwnership());
      const event = sampleSecurityEvent(id, "device.released");
      await race<unknown>(handles, 8, (store, racer) =>
        racer === round
          ? store.claims.release({ deviceId: id, ownerId: "owner", spendCode: false, event })
          : judge(
              store,
              [firing(sampleAlert(`${round}-${racer}`, { subject: id, deviceId: id }))],
              {
                watch: sampleWatch(id),
              },
            ),
      );
      expect(await b.alerts.firing([id])).toEqual([]);
      expect(await b.alerts.takeNotifications(soon)).toEqual([]);
    }
  }),
];
