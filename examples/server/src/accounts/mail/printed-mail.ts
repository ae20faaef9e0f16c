import { toSafeLine, toSafeLines } from "../../log/unsafe-text.js";
import { indented } from "../../terminal/indented.js";
import type { Terminal } from "../../terminal/terminal.js";
import type { SendMail } from "./send-mail.js";

/**
 * Shows mails on the terminal if no mail server is configured. Not in the log, which is kept and forwarded: the link in
 * a mail works for anyone who reads it.
 */
export function createPrintedMail({
  print,
  palette,
}: Pick<Terminal, "print" | "palette">): SendMail {
  return async ({ to, subject, text }) => {
    const title = toSafeLine(`Mail to ${to}: ${subject}`);
    print(`\n  ${palette.bold(title)}\n${indented(indented(toSafeLines(text)))}\n`);
  };
}
