import type { Logger } from "@device-gateway/core";
import type { SendMail } from "./send-mail.js";

export interface TrackedMails {
  readonly send: SendMail;
  /** Remembers work that may end with a mail until it settles. */
  track(work: Promise<void>): Promise<void>;
  /** Resolves once every mail that was begun is sent or has failed, and the work before the mails has ended. */
  settle(): Promise<void>;
}

/** Creates a `send` that remembers the mails that are being sent, so that a stop can wait for them. */
export function trackMails(send: SendMail, logger: Logger): TrackedMails {
  const pending = new Set<Promise<void>>();
  const track = async (work: Promise<void>) => {
    pending.add(work);
    await work.finally(() => pending.delete(work));
  };
  return {
    track,
    send: (mail) => track(send(mail)),
    async settle() {
      if (pending.size > 0) logger.info({ mails: pending.size }, "Waiting for mails to be sent");
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}
