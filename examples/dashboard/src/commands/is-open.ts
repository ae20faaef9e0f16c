import type { SentCommand } from "@device-gateway/core/contract";

/** Returns whether the device may still receive or answer a command. */
export const isOpen = ({ state }: SentCommand) => state === "pending" || state === "delivered";
