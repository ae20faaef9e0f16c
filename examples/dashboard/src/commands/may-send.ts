import type { DeviceSummary } from "@device-gateway/core/contract";
import { isOperator, site } from "../session.js";
import type { CommandForm } from "../site-answer.js";

/** Returns the commands that the server declares. */
export const declaredCommands = (): readonly CommandForm[] =>
  typeof site.value === "object" ? (site.value.commands ?? []) : [];

/** Returns who may send a command. All users can cancel one whose declaration was removed. */
function sendersOf(name: string): CommandForm["sentBy"] {
  if (name === "update-now") return ["owner"];
  return declaredCommands().find((form) => form.name === name)?.sentBy ?? ["owner", "operator"];
}

/** Returns whether the user may send a command to a device, and thus cancel it (§11). */
export function maySend(name: string, { isOwner }: Pick<DeviceSummary, "isOwner">): boolean {
  const senders = sendersOf(name);
  return (
    (isOwner && senders.includes("owner")) || (isOperator.value && senders.includes("operator"))
  );
}
