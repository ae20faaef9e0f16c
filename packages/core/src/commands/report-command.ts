import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { CommandResult } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import type { JsonValue } from "../shared/json.js";
import { toStorableText } from "../shared/storable-text.js";
import { boundErrors } from "./command-rules.js";

const maxTextLength = 512;

/** Records a device's answer to a command (§11). */
export async function reportCommand(
  { store, deviceCache, events, clock }: GatewayContext,
  { deviceId }: Device,
  commandId: string,
  body: CommandResult,
): Promise<Result<void, Failure<"invalid_request" | "command_not_found">>> {
  // The body was parsed from JSON, so it contains only JSON values.
  const result = (body.result ?? null) as JsonValue;
  const errors = boundErrors("result", result);
  if (errors.length > 0) return err({ code: "invalid_request", errors });
  const message = toStorableText(body.message ?? "", maxTextLength) || null;
  const answer = { status: body.status, result, message };
  const now = clock.now();
  const outcome = await deviceCache.change(deviceId, () =>
    store.commands.answer({ deviceId, commandId, answer, now }),
  );
  if (outcome.kind === "unknown") return err({ code: "command_not_found" });
  if (outcome.kind === "answered") {
    const { name, state } = outcome.command;
    events.announce({
      kind: "command.answered",
      at: now,
      deviceId,
      commandId,
      name,
      state,
      answer,
    });
  }
  return ok(undefined);
}
