import type { JsonObject, JsonValue } from "../shared/json.js";

/**
 * The state of a command. `pending` and `delivered` are open, all others final: `cancelled` and `expired` only before
 * the delivery, `unknown` if the device did not answer in time.
 */
export type CommandState =
  | "pending"
  | "delivered"
  | "done"
  | "failed"
  | "cancelled"
  | "expired"
  | "unknown";

/** What a device reported about a command. */
export interface CommandAnswer {
  /** `unknown`: the device restarted while it ran the command. */
  readonly status: "done" | "failed" | "unknown";
  readonly result: JsonValue;
  readonly message: string | null;
}

/** A command to a device. Times are epoch milliseconds. */
export interface Command {
  readonly commandId: string;
  readonly deviceId: string;
  readonly name: string;
  /** The payload as the command's schema returned it. */
  readonly payload: JsonObject;
  readonly sentBy: string;
  readonly sentAt: number;
  /** The sender's idempotency key, or null. */
  readonly key: string | null;
  /** The gateway does not hand the command out at this time or later. */
  readonly expiresAt: number;
  /** How long the device has to answer after the delivery, in milliseconds. */
  readonly answerWithinMs: number;
  readonly state: CommandState;
  /** When the gateway handed the command out first, or null. */
  readonly deliveredAt: number | null;
  /** When the state becomes `expired` or `unknown`. Null if it is final. */
  readonly dueAt: number | null;
  /** Null while the command is open. */
  readonly endedAt: number | null;
  /** An answer that comes after the end does not change the state. */
  readonly answer: CommandAnswer | null;
  readonly answeredAt: number | null;
}

/** Returns the state at a time. Maintenance stores it some minutes later. */
export const stateAt = ({ state, dueAt }: Command, now: number): CommandState => {
  if (dueAt === null || now < dueAt) return state;
  return state === "pending" ? "expired" : "unknown";
};
