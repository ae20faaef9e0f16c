import { err, ok, type Result } from "neverthrow";
import { findOwnedDevice } from "../../access/find-owned-device.js";
import { findVisibleDevice } from "../../access/visible-device.js";
import { makeEvent } from "../../audit/make-event.js";
import type { GatewayContext } from "../../context.js";
import type { UpdateCommand as CommandBody } from "../../contract/index.js";
import { toBase64Url } from "../../shared/bytes.js";
import type { Failure } from "../../shared/failure.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { toTimestamp, toTimestampOrNull } from "../../shared/timestamp.js";
import type { User } from "../../user/user.js";

/** Creates an "update now" request of the owner (§8). Returns the id of the waiting request. */
export async function commandUpdate(
  context: GatewayContext,
  user: User,
  deviceId: string,
  origin: RequestOrigin,
): Promise<Result<string, Failure<"device_not_found" | "not_owner">>> {
  const { store, deviceCache, clock, random } = context;
  const owned = await findOwnedDevice(context, user, deviceId);
  if (owned.isErr()) return err(owned.error);
  const requestedAt = clock.now();
  const requestId = toBase64Url(random.bytes(12));
  const command = { requestId, requestedAt, status: null, message: null, answeredAt: null };
  const event = makeEvent({
    kind: "device.update_requested",
    at: requestedAt,
    deviceId,
    actor: user.id,
    origin,
  });
  const outcome = await deviceCache.change(deviceId, () =>
    store.updates.command({ deviceId, ownerId: user.id, command, event }),
  );
  if (outcome.kind === "unknown") return err({ code: "device_not_found" });
  return ok(outcome.command.requestId);
}

/** Returns a device's last "update now" request with its answer, or null if there is none. */
export async function readUpdateCommand(
  context: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<CommandBody | null, Failure<"device_not_found">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  return visible.map(({ device }) => {
    const { command } = device.ota;
    if (command === null) return null;
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
