import {
  type AlertRuleRow,
  type AlertStore,
  toAlertRule,
  toAlertRuleRow,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareEventWriter } from "../device/security-event-store.js";

type Methods =
  | "createRule"
  | "findRule"
  | "listRules"
  | "rulesOf"
  | "ruleScope"
  | "replaceRule"
  | "removeRule";

interface Page {
  readonly ownerId: string | null;
  readonly after: string;
  readonly limit: number;
}

export function createAlertRules({ database, read, write }: Connection): Pick<AlertStore, Methods> {
  const writeEvent = prepareEventWriter(database);
  const select = <Parameters extends unknown[]>(rest: string) =>
    database.prepare<Parameters, Pick<AlertRuleRow, "content">>(
      `SELECT content FROM alert_rules ${rest}`,
    );
  const find = select<[string]>("WHERE id = ?");
  const list = select<[Page]>(
    "WHERE owner_id IS @ownerId AND id > @after ORDER BY id LIMIT @limit",
  );
  const ofOwner = select<[string | null]>("WHERE owner_id IS ? ORDER BY id");
  const count = database
    .prepare<[string | null], number>("SELECT count(*) FROM alert_rules WHERE owner_id IS ?")
    .pluck();
  const owns = database.prepare<[string, string | null]>(
    "SELECT 1 FROM devices WHERE device_id = ? AND owner_id = ?",
  );
  const scope = database.prepare<[], { readonly anyone: 0 | 1; readonly fleet: 0 | 1 }>(
    `SELECT EXISTS (SELECT 1 FROM alert_rules) AS anyone,
       EXISTS (SELECT 1 FROM alert_rules WHERE owner_id IS NULL) AS fleet`,
  );
  const insert = database.prepare<[AlertRuleRow]>(
    `INSERT INTO alert_rules (id, owner_id, device_id, revision, content)
     VALUES (@id, @owner_id, @device_id, @revision, @content)`,
  );
  const replace = database.prepare<[AlertRuleRow & { readonly expected: number }]>(
    `UPDATE alert_rules SET revision = @revision, content = @content
     WHERE id = @id AND revision = @expected`,
  );
  const someAlerts = database
    .prepare<[string, number], string>("SELECT id FROM alerts WHERE rule_id = ? LIMIT ?")
    .pluck();
  const removeNotifications = database.prepare<[string]>(
    "DELETE FROM alert_notifications WHERE alert_id = ?",
  );
  const removeAlert = database.prepare<[string]>("DELETE FROM alerts WHERE id = ?");
  const remove = database.prepare<[string]>("DELETE FROM alert_rules WHERE id = ?");

  return {
    createRule: ({ rule, most, event }) =>
      write(() => {
        const { ownerId, deviceId } = rule;
        if (deviceId !== null && owns.get(deviceId, ownerId) === undefined) {
          return { kind: "unknown_device" };
        }
        if ((count.get(ownerId) ?? 0) >= most) return { kind: "too_many" };
        insert.run(toAlertRuleRow(rule));
        writeEvent(event);
        return { kind: "created" };
      }),

    findRule: (id) =>
      read(() => {
        const row = find.get(id);
        return row === undefined ? null : toAlertRule(row);
      }),

    listRules: (page) => read(() => list.all(page).map(toAlertRule)),

    rulesOf: (ownerIds) =>
      read(() =>
        [...new Set(ownerIds)]
          .flatMap((ownerId) => ofOwner.all(ownerId).map(toAlertRule))
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      ),

    ruleScope: () =>
      read(() => {
        const row = scope.get();
        return { any: row?.anyone === 1, fleet: row?.fleet === 1 };
      }),

    replaceRule: ({ rule, expectedRevision, event }) =>
      write(() => {
        const { changes } = replace.run({ ...toAlertRuleRow(rule), expected: expectedRevision });
        if (changes === 0) return { kind: "conflict" };
        writeEvent(event);
        return { kind: "replaced" };
      }),

    removeRule: ({ id, limit, event }) =>
      write(() => {
        if (find.get(id) === undefined) return { kind: "unknown" };
        const alerts = someAlerts.all(id, limit);
        for (const alert of alerts) {
          removeNotifications.run(alert);
          removeAlert.run(alert);
        }
        if (alerts.length === limit) return { kind: "more" };
        remove.run(id);
        writeEvent(event);
        return { kind: "removed" };
      }),
  };
}
