import {
  type AlertNotificationRow,
  type AlertStore,
  toNotifications,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";

/** How many due notifications are compared, the earliest first. */
const mostCompared = 1_000;
/** If more are due, the first ones of this many recipients are compared too. The next call continues with others. */
const mostRecipients = 100;
const mostOfRecipient = 5;

interface Taking {
  readonly now: number;
  readonly until: number;
  /** A later due time is wrong. Null: none is. */
  readonly latest: number | null;
  readonly limit: number;
  /** JSON: ids of due notifications to compare besides the earliest ones. */
  readonly others: string;
}

/** SQL: the earliest notifications that meet a condition. */
const earliest = (condition: string) =>
  `SELECT id, due_at, owner_id FROM (
     SELECT id, due_at, owner_id FROM alert_notifications WHERE ${condition}
     ORDER BY due_at, id LIMIT ${mostCompared})`;

/** Prepares the search for notifications of recipients that would not be compared, because so many earlier ones are due. */
function prepareOthers({ database }: Connection): (now: number) => string[] {
  const countDue = database
    .prepare<[number], number>(
      `SELECT count(*) FROM (
         SELECT 1 FROM alert_notifications WHERE due_at <= ? LIMIT ${mostCompared})`,
    )
    .pluck();
  const recipientsAfter = database
    .prepare<[string], string>(
      `WITH RECURSIVE recipients (id) AS (
         SELECT (SELECT owner_id FROM alert_notifications WHERE owner_id > ? ORDER BY owner_id LIMIT 1)
         UNION ALL
         SELECT (SELECT owner_id FROM alert_notifications WHERE owner_id > recipients.id
                 ORDER BY owner_id LIMIT 1)
         FROM recipients WHERE id IS NOT NULL LIMIT ${mostRecipients}
       ) SELECT id FROM recipients WHERE id IS NOT NULL`,
    )
    .pluck();
  const firstOf = database
    .prepare<[string | null, number], string>(
      `SELECT id FROM alert_notifications WHERE owner_id IS ? AND due_at <= ?
       ORDER BY due_at, id LIMIT ${mostOfRecipient}`,
    )
    .pluck();
  /** The recipient that was compared last. Empty: begin with the first one. */
  let after = "";
  return (now) => {
    if ((countDue.get(now) ?? 0) < mostCompared) return [];
    const recipients = recipientsAfter.all(after);
    after = recipients.length < mostRecipients ? "" : (recipients.at(-1) ?? "");
    return [null, ...recipients].flatMap((recipient) => firstOf.all(recipient, now));
  };
}

/** Creates the queue of notifications that wait for their delivery. */
export function createNotificationQueue(
  connection: Connection,
): Pick<AlertStore, "takeNotifications" | "settleNotification"> {
  const { database, write } = connection;
  const findOthers = prepareOthers(connection);
  const take = database.prepare<[Taking], AlertNotificationRow>(
    `UPDATE alert_notifications SET due_at = @until, attempts = attempts + 1 WHERE id IN (
       SELECT id FROM (
         SELECT id, due_at, count(*) OVER (PARTITION BY owner_id) AS of_recipient FROM (
           ${earliest("due_at <= @now")}
           UNION
           ${earliest("due_at > @latest")}
           UNION
           SELECT id, due_at, owner_id FROM alert_notifications
           WHERE id IN (SELECT value FROM json_each(@others))
         )
       ) ORDER BY of_recipient, due_at, id LIMIT @limit
     ) RETURNING *`,
  );
  const settle = database.prepare<[string]>("DELETE FROM alert_notifications WHERE id = ?");
  const postpone = database.prepare<[string, number, string, number]>(
    "UPDATE alert_notifications SET delivered = ?, due_at = ? WHERE id = ? AND attempts = ?",
  );
  return {
    takeNotifications: (input) =>
      write(() => {
        const others = JSON.stringify(findOthers(input.now));
        const { latest = null } = input;
        return toNotifications(take.all({ ...input, latest, others }));
      }),
    settleNotification: ({ id, attempts, delivered, retryAt }) =>
      write(() => {
        if (retryAt === null) settle.run(id);
        else postpone.run(JSON.stringify(delivered), retryAt, id, attempts);
      }),
  };
}
