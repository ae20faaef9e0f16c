import type { Database } from "../database/database.js";

/**
 * SQL: the time of the last erased alert of a device and an owner, or -1. Erased alerts are deleted later. An alert that
 * fires meanwhile must have a later time.
 */
export const erasedAlertsUpTo = (deviceId: string, ownerId: string): string =>
  `(SELECT ifnull(max(up_to), -1) FROM alerts_erased
    WHERE device_id = ${deviceId} AND owner_id IN ('', ${ownerId}))`;

/** SQL: whether an alert was not erased. An alert that fires never was, because an erasure deletes those. */
export const isKeptAlert = `fired_at > ${erasedAlertsUpTo("alerts.device_id", "alerts.owner_id")}`;

interface AlertsOf {
  readonly deviceId: string;
  /** Empty: all owners and the operators. */
  readonly ownerId: string;
}

interface Mark extends AlertsOf {
  readonly upTo: number;
}

/** SQL: the alerts about a device, of everybody or of one owner. Each index has them in the order of time, and no others. */
const fromAll = "FROM alerts INDEXED BY alerts_by_device WHERE device_id = @deviceId";
const fromOwner = `FROM alerts INDEXED BY alerts_by_device_and_owner
  WHERE device_id = @deviceId AND owner_id = @ownerId`;

/**
 * Prepares a function that makes alerts about a device unreachable: there may be too many to delete them in one turn of
 * the event loop. Run it in the transaction that releases or erases the device.
 */
export function prepareAlertErasure(database: Database): (alerts: AlertsOf) => void {
  // A device has at most one firing alert of each rule. While it exists, the rule cannot fire for a later owner.
  const deleteFiring = database.prepare<[AlertsOf]>(
    `DELETE FROM alerts INDEXED BY alerts_firing
     WHERE subject = @deviceId AND device_id = @deviceId AND cleared_at IS NULL
       AND @ownerId IN ('', owner_id)`,
  );
  const prepareMark = (from: string) =>
    database.prepare<[AlertsOf]>(
      `INSERT OR REPLACE INTO alerts_erased (device_id, owner_id, up_to)
       SELECT device_id, @ownerId, fired_at ${from} ORDER BY fired_at DESC LIMIT 1`,
    );
  const [markAll, markOwner] = [prepareMark(fromAll), prepareMark(fromOwner)];
  return (alerts) => {
    deleteFiring.run(alerts);
    (alerts.ownerId === "" ? markAll : markOwner).run(alerts);
  };
}

/** Prepares a function that deletes at most `most` erased alerts. Returns how many. */
export function prepareErasedAlertsDeletion(database: Database): (most: number) => number {
  const findMark = database.prepare<[], Mark>(
    "SELECT device_id AS deviceId, owner_id AS ownerId, up_to AS upTo FROM alerts_erased LIMIT 1",
  );
  const prepareDeletion = (from: string) =>
    database.prepare<[Mark & { readonly most: number }]>(
      `DELETE FROM alerts WHERE id IN (SELECT id ${from} AND fired_at <= @upTo LIMIT @most)`,
    );
  const [deleteOfAll, deleteOfOwner] = [prepareDeletion(fromAll), prepareDeletion(fromOwner)];
  const unmark = database.prepare<[Mark]>(
    "DELETE FROM alerts_erased WHERE device_id = @deviceId AND owner_id = @ownerId",
  );
  return (most) => {
    const mark = findMark.get();
    if (mark === undefined) return 0;
    const deletion = mark.ownerId === "" ? deleteOfAll : deleteOfOwner;
    const { changes } = deletion.run({ ...mark, most });
    if (changes < most) unmark.run(mark);
    return changes;
  };
}
