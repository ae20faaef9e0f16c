import { err, ok, type Result } from "neverthrow";
import { makeEvent } from "../audit/make-event.js";
import type { GatewayContext } from "../context.js";
import { type SendCommandRequest, type SentCommand, updateNow } from "../contract/index.js";
import { toBase64Url } from "../shared/bytes.js";
import type { Failure } from "../shared/failure.js";
import type { JsonObject } from "../shared/json.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { User } from "../user/user.js";
import type { Command } from "./command.js";
import { findCommandSender } from "./command-sender.js";
import { toSentCommand } from "./command-view.js";

/** Ended commands of a device that are kept. Maintenance deletes the older ones of all devices. */
const keepEnded = 100;

export interface CommandToSend {
  readonly deviceId: string;
  readonly request: SendCommandRequest;
  readonly key: string | undefined;
  readonly user: User;
  readonly origin: RequestOrigin;
}

type SendFailure = Failure<
  | "invalid_request"
  | "device_not_found"
  | "device_revoked"
  | "forbidden"
  | "not_owner"
  | "idempotency_key_reused"
  | "too_many_commands"
>;

/**
 * Sends a command to a device (§11). A repetition with the same key returns the first command, and an "update now" the
 * one that waits.
 */
export async function sendCommand(
  context: GatewayContext,
  { deviceId, request, key, user, origin }: CommandToSend,
): Promise<Result<{ readonly isNew: boolean; readonly command: SentCommand }, SendFailure>> {
  const { store, commands, deviceCache, events, clock, random, limits } = context;
  const { name, expiresAfterSeconds } = request;
  // Before the device is read, so that the response does not depend on whether it exists.
  const kind = commands.find(name);
  if (kind.isErr()) return err({ code: "invalid_request", errors: kind.error });
  const sender = await findCommandSender(context, user, deviceId, kind.value.sentBy);
  if (sender.isErr()) return err(sender.error);
  const { expiresAfterMs: longestMs, answerWithinMs } = kind.value;
  const expiresAfterMs =
    expiresAfterSeconds === undefined ? longestMs : expiresAfterSeconds * 1_000;
  if (expiresAfterMs > longestMs) {
    const message = `Send at most ${longestMs / 1_000} for this command.`;
    const errors = [{ path: "expiresAfterSeconds", code: "too_big", message }];
    return err({ code: "invalid_request", errors });
  }
  // The body was parsed from JSON, so it contains only JSON values.
  const payload = kind.value.check(request.payload as JsonObject);
  if (payload.isErr()) return err({ code: "invalid_request", errors: payload.error });

  const now = clock.now();
  const commandId = toBase64Url(random.bytes(12));
  const command: Command = {
    ...{ commandId, deviceId, name, payload: payload.value, sentBy: user.id, sentAt: now },
    ...{ key: key ?? null, expiresAt: now + expiresAfterMs, answerWithinMs },
    ...{ state: "pending", deliveredAt: null, dueAt: now + expiresAfterMs, endedAt: null },
    ...{ answer: null, answeredAt: null },
  };
  const event = makeEvent({
    kind: name === updateNow ? "device.update_requested" : "device.command_sent",
    at: now,
    deviceId,
    actor: user.id,
    origin,
    details: { commandId, name },
  });
  const { ownerId } = sender.value;
  const maxOpen = limits.commandsPerDevice;
  const outcome = await deviceCache.change(deviceId, () =>
    store.commands.send({ command, ownerId, maxOpen, keepEnded, event }),
  );
  switch (outcome.kind) {
    case "sent":
      events.announce(event);
      return ok({ isNew: true, command: toSentCommand(command, now) });
    case "repeated":
      return ok({ isNew: false, command: toSentCommand(outcome.command, now) });
    case "key_reused":
      return err({ code: "idempotency_key_reused" });
    case "full":
      return err({ code: "too_many_commands" });
    case "revoked":
      return err({ code: "device_revoked" });
    case "unknown":
      return err({ code: "device_not_found" });
  }
}
