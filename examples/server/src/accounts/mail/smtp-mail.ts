import { setImmediate } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { toSafeLine, toSafeLines } from "../../log/unsafe-text.js";
import type { SendMail } from "./send-mail.js";

const toUnsubscribeHeaders = (url: string) => ({
  "List-Unsubscribe": `<${toSafeLine(url)}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
});

/**
 * A mail server that does not answer delays the mails that wait. Filters of mail servers may take most of a minute to accept a
 * mail, which would be sent twice if this gave up earlier. Milliseconds.
 */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };

/** Sends through a mail server, such as `smtps://user:password@mail.example.com`. */
export function createSmtpMail(url: string, from: string): SendMail {
  const transport = createTransport({ url, ...timeouts }, { from });
  return async ({ to, subject, text, messageId, unsubscribeUrl }) => {
    // The response comes first: the work for a mail must not delay it, because only some addresses get one.
    await setImmediate();
    await transport.sendMail({
      to: toSafeLine(to),
      subject: toSafeLine(subject),
      text: toSafeLines(text),
      ...(messageId !== undefined && { messageId: toSafeLine(messageId) }),
      ...(unsubscribeUrl !== undefined && { headers: toUnsubscribeHeaders(unsubscribeUrl) }),
    });
  };
}
