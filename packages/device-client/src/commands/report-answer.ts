import { err, ok, type Result } from "neverthrow";
import type { ClientError } from "../client-error.js";
import type { Device } from "../device/device.js";
import { isAcknowledged } from "../read-answer.js";
import { isFromGateway, refusesContent } from "../retry.js";
import type { CommandAnswer } from "./command-journal.js";

/** Statuses that say nothing about the content: the request needs a sign-in, or may pass later. */
const passingStatuses: readonly number[] = [401, 407, 408, 425, 429];

const notAcknowledged: ClientError = {
  code: "unexpected_answer",
  message: "HTTP 202 with a body that does not acknowledge the report. Check the address.",
  status: 202,
};

/** Returns whether only this report was refused, so that other requests may succeed. */
export const isRefusal = ({ code, status = 0 }: ClientError): boolean =>
  status >= 400 &&
  status < 500 &&
  !passingStatuses.includes(status) &&
  code !== "command_not_found";

/** Statuses of the gateway that are about the address, and not about the content. */
const addressStatuses = [404, 405];

/** Returns whether the content of a report was refused. */
function refusesAnswer(error: ClientError, isRepeated: boolean): boolean {
  if (!isRefusal(error)) return false;
  return isFromGateway(error) ? !addressStatuses.includes(error.status ?? 0) : isRepeated;
}

/**
 * Reports the answer to a command (§11). If the gateway refuses it, the status is reported without the result. A proxy
 * may refuse every request for a moment, so its refusal counts only if `isRepeated`: a proxy has refused this report
 * before, and the gateway has answered another request since. Resolves if the server has the answer, or no longer has
 * the command.
 */
export async function reportAnswer(
  device: Pick<Device, "call">,
  commandId: string,
  answer: CommandAnswer,
  isRepeated: boolean,
): Promise<Result<void, ClientError>> {
  const { status } = answer;

  async function send(body: CommandAnswer): Promise<Result<void, ClientError>> {
    const sent = await device.call("reportCommand", { params: { commandId }, body });
    if (sent.isErr()) return err(sent.error);
    return isAcknowledged(sent.value) ? ok(undefined) : err(notAcknowledged);
  }

  async function sendBriefly(refusal: ClientError) {
    if (refusesContent(refusal)) {
      const message = "The server refused the result. It is too large or nested too deeply.";
      const sent = await send({ status, message });
      if (sent.isOk() || !isRefusal(sent.error)) return sent;
    }
    // A firewall may refuse some text of the result or of the message.
    return send({ status });
  }

  const whole = await send(answer);
  const sent =
    whole.isErr() && refusesAnswer(whole.error, isRepeated)
      ? await sendBriefly(whole.error)
      : whole;
  // The server has deleted the command, or it was of an earlier registration.
  if (sent.isErr() && sent.error.code !== "command_not_found") return err(sent.error);
  return ok(undefined);
}
