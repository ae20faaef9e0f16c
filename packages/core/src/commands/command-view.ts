import type { SentCommand } from "../contract/index.js";
import { toTimestamp, toTimestampOrNull } from "../shared/timestamp.js";
import { type Command, stateAt } from "./command.js";

/** Describes a command for users, in its state at a time. */
export function toSentCommand(command: Command, now: number): SentCommand {
  const { commandId, name, payload, answer, dueAt } = command;
  const state = stateAt(command, now);
  const endedAt = state === command.state ? command.endedAt : dueAt;
  return {
    commandId,
    name,
    payload: { ...payload },
    state,
    sentAt: toTimestamp(command.sentAt),
    expiresAt: toTimestamp(command.expiresAt),
    deliveredAt: toTimestampOrNull(command.deliveredAt),
    endedAt: toTimestampOrNull(endedAt),
    answer: answer && { ...answer },
    answeredAt: toTimestampOrNull(command.answeredAt),
  };
}
