import type { Mail } from "./send-mail.js";

interface Recipient {
  readonly email: string;
  readonly name: string;
}

const toMail = ({ email, name }: Recipient, subject: string, lines: readonly string[]): Mail => ({
  to: email,
  subject,
  text: [`Hello ${name},`, "", ...lines].join("\n"),
});

/** Asks whoever signed up to show that the address is theirs. The link alone verifies nothing. */
export const verificationMail = (to: Recipient, url: string): Mail =>
  toMail(to, "Verify your e-mail address", [
    "open this link and enter your password to verify your address. It is good for an hour:",
    "",
    url,
    "",
    "If you did not sign up, do nothing: without the password nothing is verified.",
  ]);

/** Lets somebody choose another password. */
export const passwordMail = (to: Recipient, url: string): Mail =>
  toMail(to, "Choose a new password", [
    "open this link to choose a new password. It is good for an hour:",
    "",
    url,
    "",
    "If you did not ask for it, do nothing: your password stays as it is.",
  ]);
