import type { AlertNotification } from "@device-gateway/core/store";
import { sampleTime } from "@device-gateway/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Connection, openConnection } from "../database/connection.js";
import { createNotificationQueue } from "./notification-queue.js";

let connection: Connection;
let queue: ReturnType<typeof createNotificationQueue>;
beforeEach(async () => {
  connection = await openConnection(":memory:");
  queue = createNotificationQueue(connection);
});
afterEach(() => connection.close());

async function add(ownerId: string | null, count: number, dueAt: number): Promise<void> {
  const insert = connection.database.prepare<[string, string | null, number, number]>(
    `INSERT INTO alert_notifications (id, owner_id, at, due_at, alert_id, rule_id, device_id, kind,
       attempts, delivered, details)
     VALUES (?, ?, ?, ?, 'alert', 'rule', 'gw-1', 'firing', 0, '[]', '{}')`,
  );
  await connection.write(() => {
    for (let n = 0; n < count; n++) insert.run(`${ownerId}-${n}`, ownerId, dueAt, dueAt);
  });
}

const take = (latest = Number.MAX_SAFE_INTEGER) =>
  queue.takeNotifications({ now: sampleTime, until: sampleTime + 1_000, latest, limit: 100 });
const countOf = (taken: readonly AlertNotification[], recipient: string | null) =>
  taken.filter(({ ownerId }) => ownerId === recipient).length;

it("recipients whose notifications come after very many of one recipient get some of them, and the store compares only the first few of each recipient", async () => {
  await add("flood", 3_000, sampleTime - 2);
  for (const recipient of ["ann", "zoe", null]) await add(recipient, 20, sampleTime - 1);
  const taken = await take();
  const counts = ["ann", "zoe", null, "flood"].map((recipient) => countOf(taken, recipient));
  expect(counts).toEqual([5, 5, 5, 85]);
});

it("very many notifications that a wrong clock made due later delay none that is due", async () => {
  const latest = sampleTime + 10_000;
  await add("flood", 3_000, latest + 1);
  await add("ann", 20, sampleTime - 1);
  const taken = await take(latest);
  expect(["ann", "flood"].map((recipient) => countOf(taken, recipient))).toEqual([20, 80]);
});

it("many recipients whose notifications come after very many of one recipient all get theirs in turn", async () => {
  await add("flood", 3_000, sampleTime - 2);
  const others = Array.from({ length: 250 }, (_, n) => `owner-${n}`);
  for (const recipient of others) await add(recipient, 1, sampleTime - 1);
  const taken = [...(await take()), ...(await take()), ...(await take())];
  expect(taken).toHaveLength(300);
  expect(countOf(taken, "flood")).toBe(50);
});
