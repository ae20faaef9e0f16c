import { createTransport } from "nodemailer";
import { toSafeLine, toSafeLines } from "../unsafe-text.js";
import type { SendMail } from "./send-mail.js";

/** Sends through a mail server, such as `smtps://user:password@mail.example.com`. */
export function createSmtpMail(url: string, from: string): SendMail {
  const transport = createTransport(url, { from });
  return async ({ to, subject, text }) => {
    await transport.sendMail({
      to: toSafeLine(to),
      subject: toSafeLine(subject),
      text: toSafeLines(text),
    });
  };
}
