import { createTransport } from "nodemailer";
import type { SendMail } from "./send-mail.js";

/** Sends through a mail server, such as `smtps://user:password@mail.example.com`. */
export function createSmtpMail(url: string, from: string): SendMail {
  const transport = createTransport(url, { from });
  return async (mail) => {
    await transport.sendMail({ ...mail });
  };
}
