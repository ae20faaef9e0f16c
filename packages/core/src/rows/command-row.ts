import type { Command, CommandAnswer, CommandState } from "../commands/command.js";
import type { JsonObject } from "../shared/json.js";

/** A row of `device_commands`, without its number. */
export interface CommandRow {
  readonly commandId: string;
  readonly deviceId: string;
  readonly name: string;
  readonly payload: string;
  readonly sentBy: string;
  readonly sentAt: number;
  readonly key: string | null;
  readonly expiresAt: number;
  readonly answerWithinMs: number;
  readonly state: CommandState;
  readonly deliveredAt: number | null;
  readonly dueAt: number | null;
  readonly endedAt: number | null;
  readonly answer: string | null;
  readonly answeredAt: number | null;
}

/** The columns of `device_commands` by the names of `CommandRow`. */
export const commandColumnNames = {
  commandId: "command_id",
  deviceId: "device_id",
  name: "name",
  payload: "payload",
  sentBy: "sent_by",
  sentAt: "sent_at",
  key: "request_key",
  expiresAt: "expires_at",
  answerWithinMs: "answer_within_ms",
  state: "state",
  deliveredAt: "delivered_at",
  dueAt: "due_at",
  endedAt: "ended_at",
  answer: "answer",
  answeredAt: "answered_at",
} as const satisfies Record<keyof CommandRow, string>;

/**
 * Returns the columns of a command.
 *
 * @example
 * insertCommand.run(toCommandRow(command));
 */
export const toCommandRow = ({ payload, answer, ...command }: Command): CommandRow => ({
  ...command,
  payload: JSON.stringify(payload),
  answer: answer && JSON.stringify(answer),
});

/**
 * Returns the command of a row.
 *
 * @example
 * const commands = listCommands.all(deviceId).map(toCommand);
 */
export const toCommand = ({ payload, answer, ...row }: CommandRow): Command => ({
  ...row,
  payload: JSON.parse(payload) as JsonObject,
  answer: answer === null ? null : (JSON.parse(answer) as CommandAnswer),
});
