import { indented } from "../indented.js";
import type { Terminal } from "../terminal.js";
import { toSafeLine, toSafeLines } from "../unsafe-text.js";
import type { SendMail } from "./send-mail.js";

/**
 * Shows mail on the terminal, where no mail server is set. Not in the log, which is kept and sent
 * on: the link in a mail is good for whoever reads it.
 */
export function createPrintedMail({ print, palette }: Terminal): SendMail {
  return async ({ to, subject, text }) => {
    const title = toSafeLine(`Mail to ${to}: ${subject}`);
    print(`\n  ${palette.bold(title)}\n${indented(indented(toSafeLines(text)))}\n`);
  };
}
