import { expect } from "vitest";
import { firing, sampleAlert, sampleWatch } from "../conformance/samples/alert-samples.js";
import type { WireCase, WireWorld } from "./world/wire-world.js";

const low = {
  name: "Battery low",
  condition: { kind: "below", metric: "soc", threshold: 20, clearAt: 25, holdSeconds: 60 },
};
const operatorScope = { scope: "operator" };

/** Returns the calls of one user. */
async function signInAs({ call, signIn }: WireWorld, name: string, roles: string[] = []) {
  const token = await signIn(name, { roles });
  return {
    claim: () => call("claimDevice", { token, body: { deviceId: "gw-1", claimCode: "ABCD-EFGH" } }),
    release: () => call("releaseDevice", { token, params: { deviceId: "gw-1" } }),
    create: (body: object, query = {}) => call("createAlertRule", { token, body, query }),
    rules: async (query = {}) => (await call("listAlertRules", { token, query })).body,
    change: (ruleId: string, body: object) =>
      call("changeAlertRule", { token, params: { ruleId }, body }),
    remove: (ruleId: string) => call("removeAlertRule", { token, params: { ruleId } }),
    alerts: async (query = {}) => (await call("listAlerts", { token, query })).body,
    acknowledge: (alertId: string) => call("acknowledgeAlert", { token, params: { alertId } }),
    mute: (alertId: string, until: unknown) =>
      call("muteAlert", { token, params: { alertId }, body: { until } }),
    list: (name: "listAlertRules" | "listAlerts", query = {}) => call(name, { token, query }),
  };
}

/** Writes an alert of a rule about gw-1, as the evaluator does. */
async function fire({ store }: WireWorld, ruleId: string, ownerId: string): Promise<void> {
  const { ownership = null } = (await store.devices.find("gw-1")) ?? {};
  const details = { name: "Battery low", condition: "below", value: 19.5 };
  const alert = sampleAlert("alert-1", { ruleId, ownerId, details });
  const outcome = await store.alerts.judge({
    ...{ watch: sampleWatch("gw-1"), expectedRevision: null, owner: ownership },
    transitions: [firing(alert)],
  });
  expect(outcome).toEqual({ kind: "judged" });
}

/** Cases for §8: alerts. */
export const alertCases: readonly WireCase[] = [
  {
    name: "§8 a user creates, lists, changes and deletes alert rules, and no others see them",
    async run(world) {
      const [alice, bob, op] = [
        await signInAs(world, "alice"),
        await signInAs(world, "bob"),
        await signInAs(world, "op", ["operator"]),
      ];
      const { status, body } = await alice.create(low);
      expect(status).toBe(201);
      const { rule } = body;
      expect(rule).toMatchObject({ ...low, scope: "own", deviceId: null, mutedUntil: null });
      expect(await alice.rules()).toEqual({ rules: [rule], nextCursor: null, evaluatedAt: null });
      for (const other of [bob, op]) {
        expect((await other.rules()).rules).toEqual([]);
        expect((await other.change(rule.id, { name: "Mine" })).body.code).toBe(
          "alert_rule_not_found",
        );
        expect((await other.remove(rule.id)).status).toBe(404);
      }
      const condition = { kind: "silent", intervals: 3 };
      const mutedUntil = "2031-01-01T00:00:00+01:00";
      const changed = await alice.change(rule.id, { condition, mutedUntil, reminderSeconds: 600 });
      expect(changed.body.rule).toMatchObject({
        ...{ name: "Battery low", condition, reminderSeconds: 600 },
        mutedUntil: "2030-12-31T23:00:00.000Z",
      });
      const unmuted = await alice.change(rule.id, { mutedUntil: null });
      expect(unmuted.body.rule).toMatchObject({ mutedUntil: null, reminderSeconds: 600 });
      expect((await alice.remove(rule.id)).status).toBe(204);
      expect((await alice.rules()).rules).toEqual([]);

      const ofFleet = { name: "Halted", condition: { kind: "rollout_halted" } };
      expect((await alice.create(ofFleet, operatorScope)).body.code).toBe("forbidden");
      expect((await alice.list("listAlertRules", operatorScope)).status).toBe(403);
      expect((await alice.list("listAlerts", operatorScope)).status).toBe(403);
      const created = await op.create(ofFleet, operatorScope);
      expect(created.body.rule).toMatchObject({ ...ofFleet, scope: "operator" });
      expect((await op.rules(operatorScope)).rules).toHaveLength(1);
      const trail = await world.store.securityEvents.list({ after: 0, limit: 9 });
      expect(trail.map(({ kind, actor }) => [kind, actor])).toEqual([
        ["alert_rule.created", "alice"],
        ["alert_rule.changed", "alice"],
        ["alert_rule.changed", "alice"],
        ["alert_rule.removed", "alice"],
        ["alert_rule.created", "op"],
      ]);
    },
  },
  {
    name: "§8 an alert rule that makes no sense is 400, and a user has at most 50",
    async run(world) {
      await world.register();
      const [alice, op] = [
        await signInAs(world, "alice"),
        await signInAs(world, "op", ["operator"]),
      ];
      const refused = async (body: object, user = alice, query = {}) => {
        const { status, body: problem } = await user.create(body, query);
        expect([status, problem.code]).toEqual([400, "invalid_request"]);
        return problem.errors[0].path;
      };
      const { condition } = low;
      const tooHigh = { ...condition, kind: "above", clearAt: 21 };
      expect(await refused({ ...low, condition: { ...condition, clearAt: 19 } })).toBe(
        "condition.clearAt",
      );
      expect(await refused({ ...low, condition: tooHigh })).toBe("condition.clearAt");
      expect(await refused({ ...low, condition: { ...condition, metric: "" } })).toBe(
        "condition.metric",
      );
      expect(await refused({ ...low, condition: { kind: "rollout_halted" } })).toBe(
        "condition.kind",
      );
      expect(await refused({ ...low, name: "two\nlines" })).toBe("name");
      expect(await refused({ ...low, deviceId: "gw-1" }, op, operatorScope)).toBe("deviceId");
      expect((await alice.create({ ...low, deviceId: "gw-1" })).body.code).toBe("device_not_found");
      await alice.claim();
      const { kind, metric, threshold } = condition;
      const ofDevice = { name: "Low", deviceId: "gw-1", condition: { kind, metric, threshold } };
      const made = await alice.create(ofDevice);
      expect(made.body.rule.condition).toMatchObject({ clearAt: 20, holdSeconds: 0 });
      for (let n = 0; n < 46; n++) expect((await alice.create(low)).status).toBe(201);
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => alice.create(low)));
      expect(outcomes.filter(({ status }) => status === 201)).toHaveLength(3);
      const [spare] = outcomes.filter(({ status }) => status !== 201);
      expect([spare?.status, spare?.body.code]).toEqual([409, "too_many_alert_rules"]);
      const first = await alice.rules({ limit: "30" });
      const second = await alice.rules({ limit: "30", cursor: first.nextCursor });
      expect([second.rules.length, second.nextCursor]).toEqual([20, null]);
    },
  },
  {
    name: "§8 the owner of a rule lists, acknowledges and mutes its alerts, until the device is released",
    async run(world) {
      const { clock } = world;
      await world.register();
      const [alice, bob, op] = [
        await signInAs(world, "alice"),
        await signInAs(world, "bob"),
        await signInAs(world, "op", ["operator"]),
      ];
      await alice.claim();
      const { rule } = (await alice.create({ ...low, deviceId: "gw-1" })).body;
      await fire(world, rule.id, "alice");
      const { alerts } = await alice.alerts();
      expect(alerts).toMatchObject([
        {
          ...{ id: "alert-1", ruleId: rule.id, scope: "own", name: "Battery low", kind: "below" },
          ...{ deviceId: "gw-1", releaseId: null, state: "firing", value: 19.5 },
          ...{ acknowledgedAt: null, mutedUntil: null },
        },
      ]);
      expect((await alice.alerts({ deviceId: "gw-2" })).alerts).toEqual([]);
      expect((await alice.alerts({ state: "all" })).alerts).toEqual(alerts);
      for (const other of [bob, op]) {
        expect((await other.alerts({ state: "all" })).alerts).toEqual([]);
        expect((await other.acknowledge("alert-1")).body.code).toBe("alert_not_found");
        expect((await other.mute("alert-1", null)).status).toBe(404);
      }
      const acknowledged = await alice.acknowledge("alert-1");
      clock.advance(1_000);
      const again = await alice.acknowledge("alert-1");
      expect(again.body).toEqual(acknowledged.body);
      expect(again.body.alert.acknowledgedBy).toBe("alice");
      const muted = await alice.mute("alert-1", clock.now() + 60_000);
      expect(Date.parse(muted.body.alert.mutedUntil)).toBe(clock.now() + 60_000);
      expect((await alice.mute("alert-1", "tomorrow")).status).toBe(400);
      const bad = await alice.list("listAlerts", { cursor: "bm9uZQ" });
      expect([bad.status, bad.body.code]).toEqual([400, "invalid_request"]);

      await alice.release();
      expect((await alice.alerts({ state: "all" })).alerts).toEqual([]);
      expect((await alice.rules()).rules).toEqual([]);
      await bob.claim();
      expect((await bob.alerts({ state: "all" })).alerts).toEqual([]);
    },
  },
];
