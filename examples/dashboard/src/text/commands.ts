export const send = "Send a command";
export const sendHint = (interval: string) =>
  `The gateway gets it with its next request, usually within ${interval}.`;
export const command = "Command";
export const payload = "Payload (JSON)";
export const payloadHint = "An object that the command's schema accepts.";
export const notAnObject = "The payload must be a JSON object. Begin with { and end with }.";
export const sendCommand = "Send command";
export const sentToast = "Command sent.";
export const sentBeforeToast =
  "This command was already sent, so it was not sent again. The list shows its state.";
export const optional = (label: string) => `${label} (optional)`;
export const unset = "not set";
export const noneDeclared = "No commands";
export const noneDeclaredHint =
  "This server declares no commands. The administrator declares them in the file that COMMANDS_FILE names: for each a name, who may send it, and a schema of its payload.";
export const noneAllowed = "No commands for you";
export const noneAllowedHint = "You may not send any of the commands of this server.";
export const revokedHint = "The device is revoked, so it gets no commands.";

export const history = "Sent commands";
export const historyHint = "Kept for 30 days, at most 100 that have ended.";
export const noneSent = "No commands sent yet";
export const noneSentHint = "Each command with its state and the gateway's answer appears here.";
export const showMore = "Show more";

export const states = {
  pending: "waiting for the gateway",
  delivered: "delivered",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
  unknown: "no answer",
};
/** What a state means, where the word alone leaves a question. */
export const stateHints = {
  pending: "The gateway has not fetched it yet.",
  delivered: "The gateway has it and has not answered yet.",
  expired: "The gateway did not fetch it in time and will not get it.",
  unknown: "The gateway received it, but did not report the outcome in time.",
};
export const sent = (at: string) => `sent ${at}`;
export const expires = (at: string) => `can be fetched until ${at}`;
export const answered = (at: string) => `answered ${at}`;
export const result = "Result";
export const cancel = "Cancel";
export const cancelNamed = (name: string) => `Cancel ${name}`;
export const cancelledToast = "Cancelled. The gateway will not get it.";
