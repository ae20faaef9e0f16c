import type { JsonObject } from "../shared/json.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { SecurityEvent, SecurityEventKind } from "./security-event.js";

interface EventParts {
  readonly kind: SecurityEventKind;
  readonly at: number;
  readonly deviceId: string;
  /** `device`, `gateway`, or the id of the user who did it. */
  readonly actor: string;
  readonly origin: RequestOrigin;
  readonly details?: JsonObject;
}

/** Creates a security event for the audit trail. */
export function makeEvent({ origin, details = {}, ...parts }: EventParts): SecurityEvent {
  const { requestId, clientAddress } = origin;
  return { ...parts, requestId, clientAddress, details };
}
