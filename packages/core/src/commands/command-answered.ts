import type { CommandAnswer, CommandState } from "./command.js";

/** A device answered a command. */
export interface CommandAnswered {
  readonly kind: "command.answered";
  /** Time of receipt, in epoch milliseconds. */
  readonly at: number;
  readonly deviceId: string;
  readonly commandId: string;
  readonly name: string;
  /** The command's state now. `unknown` if the answer came too late. */
  readonly state: CommandState;
  readonly answer: CommandAnswer;
}
