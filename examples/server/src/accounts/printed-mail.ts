import { indented } from "../indented.js";
import type { Terminal } from "../terminal.js";
import type { SendMail } from "./send-mail.js";

/**
 * Shows mail on the terminal, where no mail server is set. Not in the log, which is kept and sent
 * on: the link in a mail is good for whoever reads it.
 */
export function createPrintedMail({ print, palette }: Terminal): SendMail {
  return async ({ to, subject, text }) => {
    print(`\n  ${palette.bold(`Mail to ${to}: ${subject}`)}\n${indented(indented(text))}\n`);
  };
}
