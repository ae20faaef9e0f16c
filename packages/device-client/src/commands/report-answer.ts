import { err, ok, type Result } from "neverthrow";
import type { ClientError } from "../client-error.js";
import type { Device } from "../device/device.js";
import { mayRefuseContent, refusesContent } from "../retry.js";
import type { CommandAnswer } from "./command-journal.js";

/**
 * Reports the answer to a command (§11). If the server or a proxy refuses it, it reports the status without the
 * result. Resolves if the server has the answer, or no longer has the command.
 */
export async function reportAnswer(
  device: Pick<Device, "call">,
  commandId: string,
  answer: CommandAnswer,
): Promise<Result<void, ClientError>> {
  const { status } = answer;
  const send = (body: CommandAnswer) =>
    device.call("reportCommand", { params: { commandId }, body });
  let sent = await send(answer);
  if (sent.isErr() && refusesContent(sent.error)) {
    const message = "The server refused the result. It is too large or nested too deeply.";
    sent = await send({ status, message });
  }
  // A firewall may refuse some text of the result or of the message.
  if (sent.isErr() && mayRefuseContent(sent.error)) sent = await send({ status });
  // The server has deleted the command, or it was of an earlier registration.
  if (sent.isErr() && sent.error.code !== "command_not_found") return err(sent.error);
  return ok(undefined);
}

/** Returns whether only this report was refused, so that other requests may succeed. */
export const isRefusal = (error: ClientError): boolean =>
  refusesContent(error) || mayRefuseContent(error);
