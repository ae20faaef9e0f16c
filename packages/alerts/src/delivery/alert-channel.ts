import type { AlertNotification } from "@device-gateway/core/store";

/** One notification, or a digest of several. */
export interface AlertMessage {
  /** Stays the same when the delivery is repeated. Use it to recognise repeats, such as in the Message-ID of a mail. */
  readonly id: string;
  /** The id of the user who gets it. Null: the operators. */
  readonly ownerId: string | null;
  /** At least one, oldest first. */
  readonly notifications: readonly AlertNotification[];
}

/** A way to deliver notifications, such as mail or push. Implement it for your own. */
export interface AlertChannel {
  /** Unique among the channels, and stable: it is stored with what was delivered. */
  readonly name: string;
  /**
   * Delivers a message. If it rejects, the message is delivered again later, at least once in all. Resolve if the
   * recipient cannot be reached at all or does not want it. It should settle within five minutes, because this process
   * sends no other message meanwhile. After that time the delivery counts as failed.
   */
  send(message: AlertMessage): Promise<void>;
}
