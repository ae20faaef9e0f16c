import {
  type SecurityEvent,
  toDeliveryRow,
  toFollowerPrefix,
  toWebhook,
  toWebhookRow,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookRow,
  type WebhookStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { type Session, statement } from "../database/statement.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeEvents,
} from "../device/transition-writer.js";

interface Content {
  readonly content: string;
}

const list = statement<object, WebhookRow>(
  `SELECT id, revision, created_at AS "createdAt", failing_since AS "failingSince", content
   FROM device_gateway.webhooks ORDER BY created_at, id`,
);
/** Lets one transaction at a time count and insert. */
const lockAll = statement<object, object>(
  "LOCK TABLE device_gateway.webhooks IN SHARE ROW EXCLUSIVE MODE",
);
const insert = statement<WebhookRow, object>(
  `INSERT INTO device_gateway.webhooks (id, revision, created_at, failing_since, content)
   VALUES (@id, @revision, @createdAt, @failingSince, @content)`,
);
const lock = statement<{ id: string }, { revision: number }>(
  "SELECT revision FROM device_gateway.webhooks WHERE id = @id FOR UPDATE",
);
const update = statement<Pick<WebhookRow, "id" | "revision" | "content">, object>(
  `UPDATE device_gateway.webhooks SET revision = @revision, content = @content WHERE id = @id`,
);
const remove = statement<{ id: string; prefix: string }, { id: string }>(
  `WITH deliveries AS (
     DELETE FROM device_gateway.webhook_deliveries WHERE endpoint_id = @id
   ), attempts AS (
     DELETE FROM device_gateway.webhook_attempts WHERE endpoint_id = @id
   ), followers AS (
     DELETE FROM device_gateway.followers WHERE starts_with(name, @prefix)
   )
   DELETE FROM device_gateway.webhooks WHERE id = @id RETURNING id`,
);
const log = statement<EventParameters & { deviceId: string }, object>(
  `WITH ${mark}, done AS (SELECT @deviceId::text AS device_id) ${writeEvents("done")}`,
);
const setFailing = statement<
  { id: string; isJudged: boolean; failingSince: number | null },
  { id: string }
>(
  `UPDATE device_gateway.webhooks
   SET failing_since = CASE WHEN @isJudged::boolean THEN @failingSince::bigint ELSE failing_since END
   WHERE id = @id RETURNING id`,
);
const put = statement<
  {
    id: string;
    isDead: boolean;
    messageIds: readonly string[];
    eventIds: readonly number[];
    contents: readonly string[];
  },
  object
>(
  `INSERT INTO device_gateway.webhook_deliveries (endpoint_id, message_id, event_id, is_dead, content)
   SELECT @id, message_id, event_id, @isDead, content
   FROM unnest(@messageIds::text[], @eventIds::bigint[], @contents::text[])
     AS d (message_id, event_id, content)
   ON CONFLICT (endpoint_id, message_id) DO UPDATE SET
     event_id = excluded.event_id, is_dead = excluded.is_dead, content = excluded.content`,
);
const drop = statement<{ id: string; messageIds: readonly string[] }, object>(
  `DELETE FROM device_gateway.webhook_deliveries
   WHERE endpoint_id = @id AND message_id = ANY (@messageIds::text[])`,
);
const dropOldDead = statement<{ id: string; keep: number }, object>(
  `DELETE FROM device_gateway.webhook_deliveries WHERE endpoint_id = @id AND message_id IN (
     SELECT message_id FROM device_gateway.webhook_deliveries
     WHERE endpoint_id = @id AND is_dead ORDER BY event_id DESC, message_id DESC OFFSET @keep
   )`,
);
const addAttempts = statement<{ id: string; contents: readonly string[] }, object>(
  `INSERT INTO device_gateway.webhook_attempts (endpoint_id, content)
   SELECT @id, content FROM unnest(@contents::text[]) WITH ORDINALITY AS a (content, place)
   ORDER BY place`,
);
const dropOldAttempts = statement<{ id: string; keep: number }, object>(
  `DELETE FROM device_gateway.webhook_attempts WHERE id IN (
     SELECT id FROM device_gateway.webhook_attempts
     WHERE endpoint_id = @id ORDER BY id DESC OFFSET @keep
   )`,
);
const deliveries = statement<{ id: string; isDead: boolean; limit: number }, Content>(
  `SELECT content FROM device_gateway.webhook_deliveries
   WHERE endpoint_id = @id AND is_dead = @isDead ORDER BY event_id, message_id LIMIT @limit`,
);
const attempts = statement<{ id: string; limit: number }, Content>(
  `SELECT content FROM device_gateway.webhook_attempts
   WHERE endpoint_id = @id ORDER BY id DESC LIMIT @limit`,
);

async function writeEvent(session: Session, event: SecurityEvent): Promise<void> {
  await log(session, { deviceId: event.deviceId, ...toEventParameters(event) });
}

async function putAll(
  session: Session,
  id: string,
  isDead: boolean,
  all: readonly WebhookDelivery[],
): Promise<void> {
  if (all.length === 0) return;
  // The last one of a message id counts, as in a sequence of single inserts.
  const rows = [...new Map(all.map((each) => [each.messageId, toDeliveryRow(each)])).values()];
  await put(session, {
    ...{ id, isDead },
    messageIds: rows.map(({ messageId }) => messageId),
    eventIds: rows.map(({ eventId }) => eventId),
    contents: rows.map(({ content }) => content),
  });
}

export function createWebhookStore({ read, write }: Connection): WebhookStore {
  const listDeliveries = (id: string, isDead: boolean, limit: number) =>
    read(async (session) => {
      const rows = await deliveries(session, { id, isDead, limit });
      return rows.map(({ content }) => JSON.parse(content) as WebhookDelivery);
    });
  return {
    list: () => read(async (session) => (await list(session, {})).map(toWebhook)),

    create: ({ endpoint, limit, total, event }) =>
      write(async (session) => {
        await lockAll(session, {});
        // Counted here: SQL cannot read JSON that contains U+0000, and rows of earlier versions may.
        const all = (await list(session, {})).map(toWebhook);
        const theirs = all.filter(({ ownerId }) => ownerId === endpoint.ownerId);
        if (theirs.length >= limit || all.length >= total) return { kind: "full" };
        await insert(session, toWebhookRow(endpoint));
        await writeEvent(session, event);
        return { kind: "created" };
      }),

    replace: ({ endpoint, expectedRevision, event }) =>
      write(async (session) => {
        const { id, content } = toWebhookRow(endpoint);
        const [found] = await lock(session, { id });
        if (found === undefined) return { kind: "unknown" };
        if (found.revision !== expectedRevision) return { kind: "conflict" };
        await update(session, { id, content, revision: expectedRevision + 1 });
        await writeEvent(session, event);
        return { kind: "replaced" };
      }),

    remove: ({ id, event }) =>
      write(async (session) => {
        // Waits for a sender that records, so that it leaves nothing behind.
        if ((await lock(session, { id })).length === 0) return { kind: "unknown" };
        await remove(session, { id, prefix: toFollowerPrefix(id) });
        await writeEvent(session, event);
        return { kind: "removed" };
      }),

    record: (done) =>
      write(async (session) => {
        const { endpointId: id, failingSince, keep } = done;
        const isJudged = failingSince !== undefined;
        const found = await setFailing(session, {
          id,
          isJudged,
          failingSince: failingSince ?? null,
        });
        if (found.length === 0) return;
        await putAll(session, id, false, done.waiting);
        await putAll(session, id, true, done.dead);
        if (done.arrived.length > 0) await drop(session, { id, messageIds: done.arrived });
        if (done.dead.length > 0) await dropOldDead(session, { id, keep: keep.dead });
        if (done.attempts.length > 0) {
          const contents = done.attempts.map((attempt) => JSON.stringify(attempt));
          await addAttempts(session, { id, contents });
          await dropOldAttempts(session, { id, keep: keep.attempts });
        }
        for (const event of done.events) await writeEvent(session, event);
      }),

    waiting: ({ endpointId, limit }) => listDeliveries(endpointId, false, limit),
    dead: ({ endpointId, limit }) => listDeliveries(endpointId, true, limit),
    attempts: ({ endpointId: id, limit }) =>
      read(async (session) => {
        const rows = await attempts(session, { id, limit });
        return rows.map(({ content }) => JSON.parse(content) as WebhookAttempt);
      }),
  };
}
