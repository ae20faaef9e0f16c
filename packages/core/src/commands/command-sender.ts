import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice, type VisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import { isOperator, type User } from "../user/user.js";
import type { CommandKind } from "./command-rules.js";

type SenderFailure = Failure<"device_not_found" | "forbidden" | "not_owner">;

/** The role in which a user sends a command: `ownerId` is the owner's id, or null for an operator. */
export interface CommandSender {
  readonly visible: VisibleDevice;
  readonly ownerId: string | null;
}

/** Finds a device to which the user may send commands of this kind. */
export async function findCommandSender(
  context: GatewayContext,
  user: User,
  deviceId: string,
  sentBy: CommandKind["sentBy"],
): Promise<Result<CommandSender, SenderFailure>> {
  const found = await findVisibleDevice(context, user, deviceId);
  if (found.isErr()) return err(found.error);
  const visible = found.value;
  if (visible.isOwner && sentBy.includes("owner")) return ok({ visible, ownerId: user.id });
  if (isOperator(user) && sentBy.includes("operator")) return ok({ visible, ownerId: null });
  return err({ code: visible.isOwner ? "forbidden" : "not_owner" });
}
