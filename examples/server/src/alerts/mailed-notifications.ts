import type { AlertMessage } from "@device-gateway/alerts";

/** Pairs of address and notification that are remembered. Further ones replace the oldest. */
const mostRemembered = 10_000;

/** Knows which notifications an address got, although the delivery of the message to another address failed. */
export interface MailedNotifications {
  /** Returns the message with the notifications that the address has not got. */
  missingOf(to: string, message: AlertMessage): AlertMessage;
  remember(to: string, message: AlertMessage): void;
  forget(to: string, message: AlertMessage): void;
}

export function createMailedNotifications(): MailedNotifications {
  const mailed = new Set<string>();
  const keysOf = (to: string, { notifications }: AlertMessage) =>
    notifications.map(({ id }) => `${id} ${to}`);
  return {
    missingOf: (to, message) => ({
      ...message,
      notifications: message.notifications.filter(({ id }) => !mailed.has(`${id} ${to}`)),
    }),
    remember(to, message) {
      for (const key of keysOf(to, message)) mailed.add(key);
      for (const oldest of mailed) {
        if (mailed.size <= mostRemembered) break;
        mailed.delete(oldest);
      }
    },
    forget(to, message) {
      for (const key of keysOf(to, message)) mailed.delete(key);
    },
  };
}
