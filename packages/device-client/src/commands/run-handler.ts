import type { DeviceCommand } from "@device-gateway/core/contract";
import { reasonOf } from "../reason-of.js";
import type { CommandAnswer } from "./command-journal.js";

type Callback = () => void | Promise<void>;
type Handler = (
  payload: unknown,
  context: { readonly commandId: string; afterReport(callback: Callback): void },
) => unknown;

/** The server cuts a message to this length, and drops one that is much longer. */
const maxMessageCharacters = 512;

/** Returns the answer without the parts that cannot be sent. */
function toSendable(answer: CommandAnswer): CommandAnswer {
  try {
    JSON.stringify(answer);
    return answer;
  } catch (fault) {
    return { status: answer.status, message: `The result is not JSON: ${reasonOf(fault)}` };
  }
}

/** Runs the handler of a command. Returns the answer, and adds what runs after its report to `later`. Never rejects. */
export async function runHandler(
  handler: Handler | undefined,
  { commandId, name, payload }: DeviceCommand,
  later: Callback[],
): Promise<CommandAnswer> {
  if (handler === undefined) {
    return { status: "failed", message: `This device has no command "${name}".` };
  }
  try {
    const result = await handler(payload, {
      commandId,
      afterReport: (callback) => void later.push(callback),
    });
    return toSendable(result === undefined ? { status: "done" } : { status: "done", result });
  } catch (fault) {
    return { status: "failed", message: reasonOf(fault).slice(0, maxMessageCharacters) };
  }
}
