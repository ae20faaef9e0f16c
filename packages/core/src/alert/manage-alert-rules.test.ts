import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { customer, operator } from "../api/principal.js";
import { createGateway, type GatewayApi, generateSecrets } from "../index.js";
import type { GatewayStore } from "../store.js";
import { mostChangeRuns, mostRules } from "./alert-options.js";

const body = { name: "Silent", condition: { kind: "silent", intervals: 5 } } as const;
const alice = customer({ id: "alice", emailVerified: true });

/** Creates a rule of alice. Returns it with a function that changes it. */
async function createRule(api: GatewayApi<"customer">) {
  const { rule } = (await api.createAlertRule({ body }))._unsafeUnwrap().body;
  const change = (changes: object) =>
    api.changeAlertRule({ params: { ruleId: rule.id }, body: changes });
  return { rule, change };
}

const readKinds = async (store: GatewayStore) =>
  (await store.securityEvents.list({ after: 0, limit: 100 })).map(({ kind }) => kind);

test("§9 a user who replaces all alert rules again and again may then create two a minute", async () => {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets(), clock });
  const throttled = { throttled: true };
  const api = gateway.as(alice, throttled);
  const create = async () => {
    const created = await api.createAlertRule({ body });
    if (created.isOk()) return created.value.body.rule.id;
    const { code, retryAfterSeconds } = created.error;
    return { code, retryAfterSeconds };
  };
  const createAll = async () => {
    for (let n = 0; n < mostRules; n++) expect(await create()).toEqual(expect.any(String));
  };
  await createAll();
  const { rules } = (await api.listAlertRules({ query: { limit: "500" } }))._unsafeUnwrap().body;
  for (const { id: ruleId } of rules) {
    (await api.removeAlertRule({ params: { ruleId } }))._unsafeUnwrap();
  }
  await createAll();
  const refused = { code: "too_many_requests", retryAfterSeconds: 30 };
  expect(await create()).toEqual(refused);
  clock.advance(30_000);
  expect(await create()).toMatchObject({ code: "too_many_alert_rules" });
  expect(await create()).toEqual(refused);

  // Another owner, and all operators together, have limits of their own.
  const other = gateway.as(operator({ id: "ann" }), throttled);
  for (const scope of ["own", "operator"] as const) {
    (await other.createAlertRule({ body, query: { scope } }))._unsafeUnwrap();
  }
});

test("a change of an alert rule that changes nothing writes no event and leaves the rule as it is", async () => {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets(), clock });
  const { rule, change } = await createRule(gateway.as(alice));
  const changed = async (changes: object) => (await change(changes))._unsafeUnwrap().body.rule;
  clock.advance(1_000);
  const condition = { intervals: 5, kind: "silent" };
  const same = { name: "Silent", condition, reminderSeconds: null, mutedUntil: null };
  for (const changes of [{}, { name: "Silent" }, same]) {
    expect(await changed(changes)).toEqual(rule);
  }
  const muted = await changed({ mutedUntil: "2031-01-01T00:00:00+01:00" });
  expect(muted.changedAt).not.toBe(rule.changedAt);
  clock.advance(1_000);
  expect(await changed({ mutedUntil: "2030-12-31T23:00:00Z" })).toEqual(muted);
  expect(await readKinds(store)).toEqual(["alert_rule.created", "alert_rule.changed"]);
});

test("simultaneous changes of an alert rule are all applied", async () => {
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  const { rule, change } = await createRule(gateway.as(alice));
  const names = Array.from({ length: 4 * mostChangeRuns }, (_, n) => `Name ${n}`);
  const changes = await Promise.all(names.map((name) => change({ name })));
  expect(changes.map((one) => one._unsafeUnwrap().body.rule.name)).toEqual(names);
  expect((await store.alerts.findRule(rule.id))?.revision).toBe(1 + names.length);
});

test("a change of an alert rule that other processes keep changing is 503", async () => {
  const store = createMemoryStore();
  const options = { secrets: generateSecrets() };
  const other = await createRule((await createGateway({ store, ...options })).as(alice));
  let changes = 0;
  const alerts = {
    ...store.alerts,
    /** Another process changes the rule after each read. It stops some time after the change should have failed. */
    async findRule(id: string) {
      const found = await store.alerts.findRule(id);
      if (changes < 2 * mostChangeRuns) {
        (await other.change({ name: `Name ${++changes}` }))._unsafeUnwrap();
      }
      return found;
    },
  };
  const gateway = await createGateway({ store: { ...store, alerts }, ...options });
  const params = { ruleId: other.rule.id };
  const changed = await gateway.as(alice).changeAlertRule({ params, body: { name: "Mine" } });
  expect(changed._unsafeUnwrapErr()).toMatchObject({ code: "unavailable", status: 503 });
  expect(changes).toBe(mostChangeRuns);
});
