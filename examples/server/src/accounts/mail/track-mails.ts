import type { Logger } from "@device-gateway/core";
import type { SendMail } from "./send-mail.js";

export interface TrackedMails {
  readonly send: SendMail;
  /** Resolves once every mail that was begun is sent or has failed. */
  settle(): Promise<void>;
}

/** Creates a `send` that remembers the mails that are being sent, so that a stop can wait for them. */
export function trackMails(send: SendMail, logger: Logger): TrackedMails {
  const pending = new Set<Promise<void>>();
  return {
    async send(mail) {
      const sending = send(mail);
      pending.add(sending);
      await sending.finally(() => pending.delete(sending));
    },
    async settle() {
      if (pending.size > 0) logger.info({ mails: pending.size }, "Waiting for mails to be sent");
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}
