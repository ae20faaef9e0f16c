import {
  type Command,
  type UpdateAnswer,
  type UpdateCommand,
  waitingRequest,
} from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";
import { mark, writeChanges } from "../device/transition-writer.js";
import { writeOtaEvent } from "../ota/ota-event-writer.js";

interface Request {
  readonly deviceId: string;
  /** JSON. */
  readonly request: string;
}

const find = statement<{ deviceId: string }, { request: string; isOpen: boolean }>(
  `SELECT ota_command AS request, ota_command_open AS "isOpen" FROM device_gateway.devices
   WHERE device_id = @deviceId AND ota_command IS NOT NULL`,
);
const write = statement<Request, object>(
  `UPDATE device_gateway.devices SET ota_command = @request WHERE device_id = @deviceId`,
);
const replace = statement<Request & { at: number }, object>(
  `WITH ${mark},
   answered AS (
     UPDATE device_gateway.devices SET ota_command = @request
     WHERE device_id = @deviceId RETURNING device_id
   ), fed AS (${writeChanges("answered", "@at::bigint")})
   SELECT FROM answered`,
);

/**
 * Returns the id of the "update now" request that waits, or null. This and the other functions need the lock of the
 * device's row. The device's flags must be set.
 */
export async function findWaitingRequest(
  session: Session,
  deviceId: string,
): Promise<string | null> {
  const [row] = await find(session, { deviceId });
  if (row === undefined) return null;
  const command = JSON.parse(row.request) as UpdateCommand;
  return waitingRequest({ command, isCommandOpen: row.isOpen })?.requestId ?? null;
}

/** Makes the command the device's request. */
export async function writeRequest(
  session: Session,
  { deviceId, commandId, sentAt }: Command,
): Promise<void> {
  const request: UpdateCommand = {
    ...{ requestId: commandId, requestedAt: sentAt },
    ...{ status: null, message: null, answeredAt: null },
  };
  await write(session, { deviceId, request: JSON.stringify(request) });
}

/** Replaces the answer of the device's request, with its event, if it is this one and the answer differs. */
export async function answerRequest(
  session: Session,
  deviceId: string,
  requestId: string,
  { status, message, event }: UpdateAnswer,
): Promise<void> {
  const [row] = await find(session, { deviceId });
  if (row === undefined) return;
  const request = JSON.parse(row.request) as UpdateCommand;
  if (request.requestId !== requestId) return;
  if (request.status === status && request.message === message) return;
  const answered = { ...request, status, message, answeredAt: event.createdAt };
  await replace(session, { deviceId, request: JSON.stringify(answered), at: event.createdAt });
  await writeOtaEvent(session, event);
}
