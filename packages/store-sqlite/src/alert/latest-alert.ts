import type { AlertRow } from "@device-gateway/core/store";
import type { Database } from "../database/database.js";
import { erasedAlertsUpTo } from "../device/erased-alerts.js";

type AlertSeries = Pick<AlertRow, "device_id" | "owner_id" | "rule_id" | "subject">;

/** Prepares a function that returns the latest alert of a rule and subject that was not erased. */
export function prepareLatestAlert(
  database: Database,
): (series: AlertSeries) => Pick<AlertRow, "id" | "muted_until"> | undefined {
  const find = database.prepare<[AlertSeries], Pick<AlertRow, "id" | "muted_until">>(
    `SELECT id, muted_until FROM alerts INDEXED BY alerts_by_rule
     WHERE rule_id = @rule_id AND subject = @subject
       AND fired_at > ${erasedAlertsUpTo("@device_id", "@owner_id")}
     ORDER BY fired_at DESC, id DESC LIMIT 1`,
  );
  return ({ device_id, owner_id, rule_id, subject }) =>
    find.get({ device_id, owner_id, rule_id, subject });
}
