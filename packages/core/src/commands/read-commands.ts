import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { SentCommand } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { type PageQuery, parseCursor, toPage } from "../shared/page.js";
import type { User } from "../user/user.js";
import { toSentCommand } from "./command-view.js";

/** Lists the commands that were sent to a device since the user may see it, the last sent first (§11). */
export async function listCommands(
  context: GatewayContext,
  user: User,
  deviceId: string,
  { limit, cursor }: PageQuery,
): Promise<
  Result<
    { commands: SentCommand[]; nextCursor: string | null },
    Failure<"device_not_found" | "invalid_request">
  >
> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  const before = parseCursor(cursor, "");
  if (before.isErr()) return err(before.error);
  const now = context.clock.now();
  const found = await context.store.commands.list({
    deviceId,
    from: visible.value.from,
    before: before.value === "" ? null : before.value,
    limit: limit + 1,
  });
  const { page, nextCursor } = toPage(found, limit, ({ commandId }) => commandId);
  return ok({ commands: page.map((command) => toSentCommand(command, now)), nextCursor });
}

/** Returns a command that the user may see. */
export async function readCommand(
  context: GatewayContext,
  user: User,
  key: { readonly deviceId: string; readonly commandId: string },
): Promise<Result<SentCommand, Failure<"device_not_found" | "command_not_found">>> {
  const visible = await findVisibleDevice(context, user, key.deviceId);
  if (visible.isErr()) return err(visible.error);
  const command = await context.store.commands.find(key);
  if (command === null || command.sentAt < visible.value.from) {
    return err({ code: "command_not_found" });
  }
  return ok(toSentCommand(command, context.clock.now()));
}
