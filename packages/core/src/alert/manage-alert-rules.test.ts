import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { customer, operator } from "../api/principal.js";
import { createGateway, generateSecrets } from "../index.js";
import { mostRules } from "./alert-options.js";

const body = { name: "Silent", condition: { kind: "silent", intervals: 5 } } as const;

test("§9 a user who replaces all alert rules again and again may then create two a minute", async () => {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const gateway = await createGateway({ store, secrets: generateSecrets(), clock });
  const api = gateway.as(customer({ id: "alice", emailVerified: true }));
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
  const other = gateway.as(operator({ id: "ann" }));
  for (const scope of ["own", "operator"] as const) {
    (await other.createAlertRule({ body, query: { scope } }))._unsafeUnwrap();
  }
});
