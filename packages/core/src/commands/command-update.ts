import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import { type UpdateCommand, updateNow } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import { toTimestamp, toTimestampOrNull } from "../shared/timestamp.js";
import type { User } from "../user/user.js";
import { sendCommand } from "./send-command.js";

/** Sends an "update now" request of the owner (§8). Returns the id of the waiting request. */
export async function commandUpdate(
  context: GatewayContext,
  user: User,
  deviceId: string,
  origin: RequestOrigin,
): Promise<Result<string, Failure<"device_not_found" | "not_owner">>> {
  const request = { name: updateNow, payload: {} };
  const sent = await sendCommand(context, { deviceId, request, key: undefined, user, origin });
  if (sent.isOk()) return ok(sent.value.command.commandId);
  const { code } = sent.error;
  if (code === "device_not_found" || code === "not_owner") return err({ code });
  throw new Error(`The store refused an "update now" request: ${code}.`);
}

/**
 * Returns a device's last "update now" request with its latest answer, or null if there is none, or if it ended without an
 * answer.
 */
export async function readUpdateCommand(
  context: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<UpdateCommand | null, Failure<"device_not_found">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  return visible.map(({ device }) => {
    const { command, isCommandOpen } = device.ota;
    if (command === null || (command.answeredAt === null && !isCommandOpen)) return null;
    const { requestId, requestedAt, status, message, answeredAt } = command;
    return {
      requestId,
      requestedAt: toTimestamp(requestedAt),
      status: status ?? "waiting",
      message,
      answeredAt: toTimestampOrNull(answeredAt),
    };
  });
}
