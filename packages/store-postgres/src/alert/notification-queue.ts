import {
  type AlertNotificationRow,
  type AlertStore,
  toNotifications,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";

/** How many due notifications are compared, the earliest first. */
const mostCompared = 1_000;
/** If more are due, the first ones of this many recipients are compared too. The next call continues with others. */
const mostRecipients = 100;
const mostOfRecipient = 5;

/** Finds the next recipients, unless so few notifications are due that all are compared. */
const findRecipients = statement<{ now: number; after: string }, { id: string }>(
  `WITH RECURSIVE due AS (
     SELECT count(*) AS count FROM (
       SELECT FROM device_gateway.alert_notifications WHERE due_at <= @now::bigint LIMIT ${mostCompared}
     ) AS found
   ), recipients (id) AS (
     SELECT (SELECT n.owner_id FROM device_gateway.alert_notifications AS n
       WHERE n.owner_id > @after::text ORDER BY n.owner_id LIMIT 1)
     FROM due WHERE due.count = ${mostCompared}
     UNION ALL
     SELECT (SELECT n.owner_id FROM device_gateway.alert_notifications AS n
       WHERE n.owner_id > recipients.id ORDER BY n.owner_id LIMIT 1)
     FROM recipients WHERE recipients.id IS NOT NULL
   )
   SELECT id FROM recipients WHERE id IS NOT NULL LIMIT ${mostRecipients}`,
);

const isDue = "n.due_at <= @now::bigint";
/** SQL: true if a wrong clock wrote the due time. Such notifications are due too. */
const isWrong = "n.due_at > @latest::bigint";

/** SQL: the earliest notifications that meet a condition. */
const earliest = (condition: string, limit: number) =>
  `(SELECT n.id, n.due_at, n.owner_id FROM device_gateway.alert_notifications AS n
    WHERE ${condition} ORDER BY n.due_at, n.id LIMIT ${limit})`;

interface Taking {
  readonly now: number;
  readonly until: number;
  /** A later due time is wrong. Null: none is. */
  readonly latest: number | null;
  readonly limit: number;
  readonly recipients: readonly string[];
}

/**
 * Locked rows belong to a concurrent caller, whose change the second look at `due_at` sees. Postgres looks the ids of an
 * array up; for a join, it may scan the table.
 */
const take = statement<Taking, AlertNotificationRow>(
  `WITH compared AS (
     ${earliest(isDue, mostCompared)}
     UNION
     ${earliest(isWrong, mostCompared)}
     UNION
     ${earliest(`n.owner_id IS NULL AND ${isDue}`, mostOfRecipient)}
     UNION
     SELECT first.* FROM unnest(@recipients::text[]) AS recipient (id),
       LATERAL ${earliest(`n.owner_id = recipient.id AND ${isDue}`, mostOfRecipient)} AS first
   ), due AS (
     SELECT id, due_at, count(*) OVER (PARTITION BY owner_id) AS of_recipient FROM compared
   ), chosen AS (
     SELECT id FROM due ORDER BY of_recipient, due_at, id LIMIT @limit
   ), taken AS (
     SELECT id FROM device_gateway.alert_notifications AS n
     WHERE id = ANY (ARRAY(SELECT id FROM chosen)) AND (${isDue} OR ${isWrong})
     FOR UPDATE SKIP LOCKED
   )
   UPDATE device_gateway.alert_notifications
   SET due_at = @until::bigint, attempts = attempts + 1
   WHERE id = ANY (ARRAY(SELECT id FROM taken)) RETURNING *`,
);
const settle = statement<{ id: string }, object>(
  "DELETE FROM device_gateway.alert_notifications WHERE id = @id",
);
const postpone = statement<
  { id: string; attempts: number; delivered: string; retryAt: number },
  object
>(
  `UPDATE device_gateway.alert_notifications SET delivered = @delivered, due_at = @retryAt
   WHERE id = @id AND attempts = @attempts`,
);

/** Creates the queue of notifications that wait for their delivery. */
export function createNotificationQueue({
  change,
}: Connection): Pick<AlertStore, "takeNotifications" | "settleNotification"> {
  /** The recipient that was compared last. Empty: begin with the first one. */
  let after = "";
  return {
    takeNotifications: (input) =>
      change(async (session) => {
        const found = await findRecipients(session, { now: input.now, after });
        const recipients = found.map(({ id }) => id);
        after = recipients.length < mostRecipients ? "" : (recipients.at(-1) ?? "");
        const { latest = null } = input;
        return toNotifications(await take(session, { ...input, latest, recipients }));
      }),
    settleNotification: ({ id, attempts, delivered, retryAt }) =>
      change(async (session) => {
        if (retryAt === null) await settle(session, { id });
        else
          await postpone(session, { id, attempts, delivered: JSON.stringify(delivered), retryAt });
      }),
  };
}
