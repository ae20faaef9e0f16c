import type { Mail, SendMail } from "./send-mail.js";

/** A mail that the demo shows, since it has nobody to deliver it. */
export interface KeptMail extends Mail {
  readonly at: number;
}

export interface Outbox {
  readonly send: SendMail;
  /** The last 20, newest first. */
  readonly mails: readonly KeptMail[];
}

const kept = 20;

/** Keeps the latest mails for the demo's page, and passes each on. */
export function createOutbox(send: SendMail, now: () => number = Date.now): Outbox {
  const mails: KeptMail[] = [];
  return {
    mails,
    async send(mail) {
      mails.unshift({ ...mail, at: now() });
      mails.splice(kept);
      await send(mail);
    },
  };
}
