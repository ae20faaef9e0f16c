import {
  type DeliveryRow,
  toDeliveryRow,
  toFollowerPrefix,
  toWebhook,
  toWebhookRow,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookRecord,
  type WebhookRow,
  type WebhookStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";
import { prepareEventWriter } from "../device/security-event-store.js";

const ownedTables = ["webhook_deliveries", "webhook_attempts"] as const;

export function createWebhookStore({ database, read, write }: Connection): WebhookStore {
  const writeEvent = prepareEventWriter(database);
  const list = database.prepare<[], WebhookRow>(
    `SELECT id, revision, created_at AS createdAt, failing_since AS failingSince, content
     FROM webhooks ORDER BY created_at, id`,
  );
  const count = database.prepare<[string | null], { total: number; theirs: number }>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE content ->> 'ownerId' IS ?) AS theirs
     FROM webhooks`,
  );
  const insert = database.prepare<[WebhookRow]>(
    `INSERT INTO webhooks (id, revision, created_at, failing_since, content)
     VALUES (@id, @revision, @createdAt, @failingSince, @content)`,
  );
  const revisionOf = database
    .prepare<[string], number>("SELECT revision FROM webhooks WHERE id = ?")
    .pluck();
  const update = database.prepare<[number, string, string]>(
    "UPDATE webhooks SET revision = ?, content = ? WHERE id = ?",
  );
  const remove = database.prepare<[string]>("DELETE FROM webhooks WHERE id = ?");
  const removeOwned = ownedTables.map((table) =>
    database.prepare<[string]>(`DELETE FROM ${table} WHERE endpoint_id = ?`),
  );
  const removeFollowers = database.prepare<[{ prefix: string }]>(
    "DELETE FROM followers WHERE substr(name, 1, length(@prefix)) = @prefix",
  );
  const deliveries = database
    .prepare<[string, 0 | 1, number], string>(
      `SELECT content FROM webhook_deliveries WHERE endpoint_id = ? AND is_dead = ?
       ORDER BY event_id, message_id LIMIT ?`,
    )
    .pluck();
  const attempts = database
    .prepare<[string, number], string>(
      "SELECT content FROM webhook_attempts WHERE endpoint_id = ? ORDER BY id DESC LIMIT ?",
    )
    .pluck();
  const record = prepareRecord(database);
  const listDeliveries = (endpointId: string, isDead: 0 | 1, limit: number) =>
    read(() =>
      deliveries
        .all(endpointId, isDead, limit)
        .map((content) => JSON.parse(content) as WebhookDelivery),
    );

  return {
    list: () => read(() => list.all().map(toWebhook)),

    create: ({ endpoint, limit, total, event }) =>
      write(() => {
        const found = count.get(endpoint.ownerId);
        const isFull = found !== undefined && (found.theirs >= limit || found.total >= total);
        if (isFull) return { kind: "full" };
        insert.run(toWebhookRow(endpoint));
        writeEvent(event);
        return { kind: "created" };
      }),

    replace: ({ endpoint, expectedRevision, event }) =>
      write(() => {
        const revision = revisionOf.get(endpoint.id);
        if (revision === undefined) return { kind: "unknown" };
        if (revision !== expectedRevision) return { kind: "conflict" };
        update.run(expectedRevision + 1, toWebhookRow(endpoint).content, endpoint.id);
        writeEvent(event);
        return { kind: "replaced" };
      }),

    remove: ({ id, event }) =>
      write(() => {
        if (remove.run(id).changes === 0) return { kind: "unknown" };
        for (const removeFrom of removeOwned) removeFrom.run(id);
        removeFollowers.run({ prefix: toFollowerPrefix(id) });
        writeEvent(event);
        return { kind: "removed" };
      }),

    record: (done) =>
      write(() => {
        if (record(done)) for (const event of done.events) writeEvent(event);
      }),

    waiting: ({ endpointId, limit }) => listDeliveries(endpointId, 0, limit),
    dead: ({ endpointId, limit }) => listDeliveries(endpointId, 1, limit),
    attempts: ({ endpointId, limit }) =>
      read(() =>
        attempts.all(endpointId, limit).map((content) => JSON.parse(content) as WebhookAttempt),
      ),
  };
}

/** Prepares the rows of `record`. It returns whether the endpoint exists. */
function prepareRecord(database: Database): (done: WebhookRecord) => boolean {
  const setFailing = database.prepare<[0 | 1, number | null, string]>(
    "UPDATE webhooks SET failing_since = CASE ? WHEN 1 THEN ? ELSE failing_since END WHERE id = ?",
  );
  const put = database.prepare<[DeliveryRow & { endpointId: string; isDead: 0 | 1 }]>(
    `INSERT INTO webhook_deliveries (endpoint_id, message_id, event_id, is_dead, content)
     VALUES (@endpointId, @messageId, @eventId, @isDead, @content)
     ON CONFLICT (endpoint_id, message_id) DO UPDATE SET
       event_id = @eventId, is_dead = @isDead, content = @content`,
  );
  const drop = database.prepare<[string, string]>(
    "DELETE FROM webhook_deliveries WHERE endpoint_id = ? AND message_id = ?",
  );
  const dropOldDead = database.prepare<[string, string, number]>(
    `DELETE FROM webhook_deliveries WHERE endpoint_id = ? AND message_id IN (
       SELECT message_id FROM webhook_deliveries WHERE endpoint_id = ? AND is_dead = 1
       ORDER BY event_id DESC, message_id DESC LIMIT -1 OFFSET ?
     )`,
  );
  const addAttempt = database.prepare<[string, string]>(
    "INSERT INTO webhook_attempts (endpoint_id, content) VALUES (?, ?)",
  );
  const dropOldAttempts = database.prepare<[string, number]>(
    `DELETE FROM webhook_attempts WHERE id IN (
       SELECT id FROM webhook_attempts WHERE endpoint_id = ?
       ORDER BY id DESC LIMIT -1 OFFSET ?
     )`,
  );
  return ({ endpointId, attempts, waiting, dead, arrived, failingSince, keep }) => {
    const isJudged = failingSince === undefined ? 0 : 1;
    const { changes } = setFailing.run(isJudged, failingSince ?? null, endpointId);
    if (changes === 0) return false;
    for (const each of waiting) put.run({ endpointId, isDead: 0, ...toDeliveryRow(each) });
    for (const each of dead) put.run({ endpointId, isDead: 1, ...toDeliveryRow(each) });
    for (const messageId of arrived) drop.run(endpointId, messageId);
    if (dead.length > 0) dropOldDead.run(endpointId, endpointId, keep.dead);
    for (const attempt of attempts) addAttempt.run(endpointId, JSON.stringify(attempt));
    if (attempts.length > 0) dropOldAttempts.run(endpointId, keep.attempts);
    return true;
  };
}
