import type { Mail, SendMail } from "./send-mail.js";

/** A mail that the demo shows, with the time at which it was sent, in epoch milliseconds. */
export interface KeptMail extends Mail {
  readonly at: number;
}

export interface Outbox {
  readonly send: SendMail;
  /** The last 20 mails, newest first. */
  readonly mails: readonly KeptMail[];
}

const capacity = 20;

/** Creates a `send` that keeps the latest mails for the demo's page and passes each mail on to `send`. */
export function createOutbox(send: SendMail, now: () => number = Date.now): Outbox {
  const mails: KeptMail[] = [];
  return {
    mails,
    async send(mail) {
      mails.unshift({ ...mail, at: now() });
      mails.splice(capacity);
      await send(mail);
    },
  };
}
