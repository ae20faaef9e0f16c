import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { type CommandResult, updateNow } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import type { JsonValue } from "../shared/json.js";
import { toStorableText } from "../shared/storable-text.js";
import type { CommandAnswer } from "./command.js";
import { boundErrors } from "./command-rules.js";
import type { UpdateAnswer } from "./command-store.js";
import { toUpdateAnswer } from "./update-answer.js";

const maxTextLength = 512;

/** Returns an answer's message as it is stored. */
export const toMessage = (text: string | undefined): string | null =>
  toStorableText(text ?? "", maxTextLength) || null;

/** Records a device's answer to a command (§11). */
export async function reportCommand(
  context: GatewayContext,
  device: Device,
  commandId: string,
  body: CommandResult,
): Promise<Result<void, Failure<"invalid_request" | "command_not_found">>> {
  // The body was parsed from JSON, so it contains only JSON values.
  const result = (body.result ?? null) as JsonValue;
  const errors = boundErrors("result", result);
  if (errors.length > 0) return err({ code: "invalid_request", errors });
  const answer = { status: body.status, result, message: toMessage(body.message) };
  const command = await context.store.commands.find({ deviceId: device.deviceId, commandId });
  const update = command?.name === updateNow ? await toUpdateAnswer(context, device, answer) : null;
  const isKnown = await recordAnswer(context, device, { commandId, answer, update });
  return isKnown ? ok(undefined) : err({ code: "command_not_found" });
}

/** Stores an answer and announces it. Returns whether the device has the command. */
export async function recordAnswer(
  { store, deviceCache, events, clock }: GatewayContext,
  { deviceId }: Device,
  input: {
    readonly commandId: string;
    readonly answer: CommandAnswer | null;
    readonly update: UpdateAnswer | null;
  },
): Promise<boolean> {
  const now = clock.now();
  const outcome = await deviceCache.change(deviceId, () =>
    store.commands.answer({ deviceId, now, ...input }),
  );
  if (outcome.kind === "answered" && input.answer !== null) {
    const { name, state } = outcome.command;
    events.announce({
      kind: "command.answered",
      at: now,
      deviceId,
      commandId: input.commandId,
      name,
      state,
      answer: input.answer,
    });
  }
  return outcome.kind !== "unknown";
}
