import type { AlertNotification, GatewayStore } from "@device-gateway/core/store";
import { sampleTime } from "@device-gateway/testing";
import type { Client } from "pg";
import { expect, it } from "vitest";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

let store: GatewayStore;
let other: Client;
useStoreAndClient((opened) => {
  ({ store, other } = opened);
});

const add = (ownerIds: readonly (string | null)[], count: number, dueAt: number) =>
  other.query(
    `INSERT INTO device_gateway.alert_notifications (id, owner_id, at, due_at, alert_id, rule_id,
       device_id, kind, attempts, delivered, details)
     SELECT coalesce(owner_id, 'operators') || '-' || n, owner_id, $3, $3, 'alert', 'rule',
       'gw-1', 'firing', 0, '[]', '{}'
     FROM unnest($1::text[]) AS recipient (owner_id), generate_series(1, $2) AS n`,
    [ownerIds, count, dueAt],
  );

const take = (latest = Number.MAX_SAFE_INTEGER) =>
  store.alerts.takeNotifications({
    ...{ now: sampleTime, until: sampleTime + 1_000 },
    ...{ latest, limit: 100 },
  });
const countOf = (taken: readonly AlertNotification[], recipient: string | null) =>
  taken.filter(({ ownerId }) => ownerId === recipient).length;

it("recipients whose notifications come after very many of one recipient get some of them, and the store compares only the first few of each recipient", async () => {
  await add(["flood"], 3_000, sampleTime - 2);
  await add(["ann", "zoe", null], 20, sampleTime - 1);
  const taken = await take();
  const counts = ["ann", "zoe", null, "flood"].map((recipient) => countOf(taken, recipient));
  expect(counts).toEqual([5, 5, 5, 85]);
});

it("very many notifications that a wrong clock made due later delay none that is due", async () => {
  const latest = sampleTime + 10_000;
  await add(["flood"], 3_000, latest + 1);
  await add(["ann"], 20, sampleTime - 1);
  const taken = await take(latest);
  expect(["ann", "flood"].map((recipient) => countOf(taken, recipient))).toEqual([20, 80]);
});

it("many recipients whose notifications come after very many of one recipient all get theirs in turn", async () => {
  await add(["flood"], 3_000, sampleTime - 2);
  const others = Array.from({ length: 250 }, (_, n) => `owner-${n}`);
  await add(others, 1, sampleTime - 1);
  const taken = [...(await take()), ...(await take()), ...(await take())];
  expect(taken).toHaveLength(300);
  expect(countOf(taken, "flood")).toBe(50);
});
