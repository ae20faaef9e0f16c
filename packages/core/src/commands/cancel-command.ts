import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext } from "../context.js";
import type { SentCommand } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";
import type { CommandKind } from "./command-rules.js";
import { findCommandSender } from "./command-sender.js";
import { toSentCommand } from "./command-view.js";

export interface CommandToCancel {
  readonly deviceId: string;
  readonly commandId: string;
  readonly user: User;
  readonly origin: RequestOrigin;
}

type CancelFailure = Failure<
  "device_not_found" | "command_not_found" | "command_not_pending" | "forbidden" | "not_owner"
>;

/** The roles that may cancel a command whose declaration was removed. */
const anySender: CommandKind["sentBy"] = ["owner", "operator"];

/** Cancels a command that the device has not received (§11). Everybody who may send a command may cancel it. */
export async function cancelCommand(
  context: GatewayContext,
  { deviceId, commandId, user, origin }: CommandToCancel,
): Promise<Result<SentCommand, CancelFailure>> {
  const { store, commands, deviceCache, events, clock } = context;
  const found = await store.commands.find({ deviceId, commandId });
  const sentBy = commands
    .find(found?.name ?? "")
    .map((kind) => kind.sentBy)
    .unwrapOr(anySender);
  const sender = await findCommandSender(context, user, deviceId, sentBy);
  if (sender.isErr()) return err(sender.error);
  const { visible, ownerId } = sender.value;
  if (found === null || found.sentAt < visible.from) return err({ code: "command_not_found" });
  const now = clock.now();
  if (found.state === "cancelled") return ok(toSentCommand(found, now));
  const event = makeEvent({
    kind: "device.command_cancelled",
    at: now,
    deviceId,
    actor: user.id,
    origin,
    details: { commandId, name: found.name },
  });
  const outcome = await deviceCache.change(deviceId, () =>
    store.commands.cancel({ deviceId, commandId, ownerId, now, event }),
  );
  switch (outcome.kind) {
    case "cancelled":
      events.announce(event);
      return ok(toSentCommand(outcome.command, now));
    case "not_pending": {
      // Another request may have cancelled it meanwhile.
      const current = await store.commands.find({ deviceId, commandId });
      return current?.state === "cancelled"
        ? ok(toSentCommand(current, now))
        : err({ code: "command_not_pending" });
    }
    case "unknown":
      return err({ code: "command_not_found" });
  }
}
