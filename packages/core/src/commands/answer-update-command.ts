import type { GatewayContext } from "../context.js";
import type { CommandAnswer } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { toStorableText } from "../shared/storable-text.js";
import { recordAnswer, toMessage } from "./report-command.js";
import { toFinalAnswer, toUpdateAnswer } from "./update-answer.js";

/** Records a device's answer to an "update now" request in its own words (§6). Other ids are ignored. */
export async function answerUpdateCommand(
  context: GatewayContext,
  device: Device,
  { requestId, status, message }: CommandAnswer,
): Promise<void> {
  const words = { status: toStorableText(status), message: toMessage(message) };
  const update = await toUpdateAnswer(context, device, words);
  const commandId = toStorableText(requestId);
  await recordAnswer(context, device, { commandId, answer: toFinalAnswer(words), update });
}
