import { type Session, statement } from "../database/statement.js";
import { eraseAlerts } from "./erased-marks.js";

interface Owned {
  readonly deviceId: string;
  readonly ownerId: string;
}

const deletions = ["alert_rules", "alert_notifications"].map((table) =>
  statement<Owned, object>(
    `DELETE FROM device_gateway.${table} WHERE device_id = @deviceId AND owner_id = @ownerId`,
  ),
);

/**
 * Deletes an owner's rules and notifications of a device, and makes the owner's alerts unreachable. Run it in the
 * transaction that releases the device.
 */
export async function endOwnerAlerts(session: Session, owned: Owned): Promise<void> {
  for (const deletion of deletions) await deletion(session, owned);
  const { deviceId, ownerId } = owned;
  await eraseAlerts(session, { deviceIds: [deviceId], ownerId });
}
