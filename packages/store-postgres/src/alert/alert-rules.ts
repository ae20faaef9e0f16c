import {
  type AlertRuleRow,
  type AlertStore,
  toAlertRule,
  toAlertRuleRow,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { lockClasses } from "../database/lock-numbers.js";
import { statement } from "../database/statement.js";
import {
  type EventParameters,
  mark,
  toEventParameters,
  writeEvents,
} from "../device/transition-writer.js";

type Methods =
  | "createRule"
  | "findRule"
  | "listRules"
  | "rulesOf"
  | "ruleScope"
  | "replaceRule"
  | "removeRule";

type Content = Pick<AlertRuleRow, "content">;

/** Postgres finds no rows of an index by IS NOT DISTINCT FROM. */
const isOwner = (name: string) =>
  `(owner_id = @${name}::text OR (@${name}::text IS NULL AND owner_id IS NULL))`;
const select = "SELECT content FROM device_gateway.alert_rules";
const find = statement<{ id: string }, Content>(`${select} WHERE id = @id`);
const list = statement<{ ownerId: string | null; after: string; limit: number }, Content>(
  `${select} WHERE ${isOwner("ownerId")} AND id > @after
   ORDER BY id LIMIT @limit`,
);
const ofOwners = statement<{ owners: readonly string[]; operators: boolean }, Content>(
  `${select} WHERE owner_id = ANY (@owners::text[]) OR (@operators AND owner_id IS NULL)
   ORDER BY id`,
);
const scope = statement<object, { any: boolean; fleet: boolean }>(
  `SELECT EXISTS (SELECT FROM device_gateway.alert_rules) AS any,
     EXISTS (SELECT FROM device_gateway.alert_rules WHERE owner_id IS NULL) AS fleet`,
);
/** Two callers could otherwise both create the last rule that an owner may have. */
const lockOwner = statement<{ ownerId: string | null }, object>(
  `SELECT pg_advisory_xact_lock(${lockClasses.alertRules}, hashtext(coalesce(@ownerId::text, '')))`,
);
const lockOwned = statement<{ deviceId: string; ownerId: string | null }, object>(
  `SELECT FROM device_gateway.devices WHERE device_id = @deviceId AND owner_id = @ownerId FOR SHARE`,
);
const insert = statement<
  AlertRuleRow & { most: number; deviceId: string } & EventParameters,
  object
>(
  `WITH ${mark},
   created AS (
     INSERT INTO device_gateway.alert_rules (id, owner_id, device_id, revision, content)
     SELECT @id, @owner_id::text, @device_id::text, @revision::bigint, @content
     WHERE (SELECT count(*) FROM device_gateway.alert_rules
       WHERE ${isOwner("owner_id")}) < @most::integer
     RETURNING id
   ), about AS (SELECT @deviceId::text AS device_id FROM created),
   logged AS (${writeEvents("about")})
   SELECT FROM created`,
);
const replace = statement<
  AlertRuleRow & { expected: number; deviceId: string } & EventParameters,
  object
>(
  `WITH ${mark},
   replaced AS (
     UPDATE device_gateway.alert_rules SET revision = @revision, content = @content
     WHERE id = @id AND revision = @expected RETURNING id
   ), about AS (SELECT @deviceId::text AS device_id FROM replaced),
   logged AS (${writeEvents("about")})
   SELECT FROM replaced`,
);
const lockRule = statement<{ id: string }, object>(
  "SELECT FROM device_gateway.alert_rules WHERE id = @id FOR UPDATE",
);
export const removeAlerts = statement<{ id: string; limit: number }, object>(
  `WITH old AS (
     SELECT id FROM device_gateway.alerts WHERE rule_id = @id LIMIT @limit
   ), queued AS (
     DELETE FROM device_gateway.alert_notifications WHERE alert_id IN (SELECT id FROM old)
   )
   DELETE FROM device_gateway.alerts WHERE id IN (SELECT id FROM old) RETURNING id`,
);
const remove = statement<{ id: string; deviceId: string } & EventParameters, object>(
  `WITH ${mark},
   removed AS (DELETE FROM device_gateway.alert_rules WHERE id = @id RETURNING id),
   about AS (SELECT @deviceId::text AS device_id FROM removed),
   logged AS (${writeEvents("about")})
   SELECT FROM removed`,
);

export function createAlertRules({ read, change, write }: Connection): Pick<AlertStore, Methods> {
  return {
    createRule: ({ rule, most, event }) =>
      write(async (session) => {
        const { ownerId, deviceId } = rule;
        if (deviceId !== null && (await lockOwned(session, { deviceId, ownerId })).length === 0) {
          return { kind: "unknown_device" };
        }
        await lockOwner(session, { ownerId });
        const created = await insert(session, {
          ...toAlertRuleRow(rule),
          most,
          deviceId: event.deviceId,
          ...toEventParameters(event),
        });
        return { kind: created.length > 0 ? "created" : "too_many" };
      }),

    findRule: (id) =>
      read(async (session) => {
        const [row] = await find(session, { id });
        return row === undefined ? null : toAlertRule(row);
      }),

    listRules: (page) => read(async (session) => (await list(session, page)).map(toAlertRule)),

    rulesOf: (ownerIds) =>
      read(async (session) => {
        const owners = ownerIds.filter((ownerId) => ownerId !== null);
        const operators = ownerIds.includes(null);
        return (await ofOwners(session, { owners, operators })).map(toAlertRule);
      }),

    ruleScope: () =>
      read(async (session) => {
        const [row] = await scope(session, {});
        return { any: row?.any ?? false, fleet: row?.fleet ?? false };
      }),

    replaceRule: ({ rule, expectedRevision, event }) =>
      change(async (session) => {
        const replaced = await replace(session, {
          ...toAlertRuleRow(rule),
          expected: expectedRevision,
          deviceId: event.deviceId,
          ...toEventParameters(event),
        });
        return { kind: replaced.length > 0 ? "replaced" : "conflict" };
      }),

    removeRule: ({ id, limit, event }) =>
      write(async (session) => {
        if ((await lockRule(session, { id })).length === 0) return { kind: "unknown" };
        const removed = await removeAlerts(session, { id, limit });
        if (removed.length === limit) return { kind: "more" };
        await remove(session, { id, deviceId: event.deviceId, ...toEventParameters(event) });
        return { kind: "removed" };
      }),
  };
}
