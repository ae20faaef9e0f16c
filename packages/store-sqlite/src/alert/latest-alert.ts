import type { AlertRow } from "@device-gateway/core/store";
import type { Database } from "../database/database.js";

type AlertSeries = Pick<AlertRow, "device_id" | "rule_id" | "subject">;

/**
 * Prepares a function that returns the latest alert of a rule and subject. The index by rule has no times, so it goes
 * through the latest alerts of the device. It does so only if there is one to find.
 */
export function prepareLatestAlert(
  database: Database,
): (series: AlertSeries) => Pick<AlertRow, "id" | "muted_until"> | undefined {
  const find = database.prepare<[AlertSeries], Pick<AlertRow, "id" | "muted_until">>(
    `SELECT id, muted_until FROM alerts INDEXED BY alerts_by_device
     WHERE device_id = @device_id AND rule_id = @rule_id AND subject = @subject
       AND EXISTS (SELECT 1 FROM alerts WHERE rule_id = @rule_id AND subject = @subject)
     ORDER BY fired_at DESC, id DESC LIMIT 1`,
  );
  return ({ device_id, rule_id, subject }) => find.get({ device_id, rule_id, subject });
}
