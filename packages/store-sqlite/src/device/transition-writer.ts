import type { SecurityEvent } from "@device-gateway/core/store";
import { prepareChangeWriter } from "../database/change-feed.js";
import type { Database } from "../database/database.js";
import { prepareEventWriter } from "./security-event-store.js";

/**
 * Prepares the change-feed entry and the security event of a device's transition. Run it in the
 * same transaction.
 */
export function prepareTransitionWriter(database: Database): (event: SecurityEvent) => void {
  const writeChange = prepareChangeWriter(database);
  const writeEvent = prepareEventWriter(database);
  return (event) => {
    writeChange(event.deviceId, event.at);
    writeEvent(event);
  };
}
