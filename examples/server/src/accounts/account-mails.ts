import { toSafeLine } from "../unsafe-text.js";
import type { Mail } from "./send-mail.js";

interface Recipient {
  readonly email: string;
  readonly name: string;
}

/** What mail programs make a link of. */
const linkLike = /[/:@]|\.\p{L}/u;

/** Whoever signs up chooses the name, also with an address of somebody else: it may not carry a message to them. */
const greeting = (name: string) => (linkLike.test(name) ? "Hello," : `Hello ${name},`);

/** Every mail is made here: each line is one line, whatever its parts hold. */
const toMail = ({ email, name }: Recipient, subject: string, lines: readonly string[]): Mail => ({
  to: toSafeLine(email),
  subject,
  text: [greeting(name), "", ...lines].map(toSafeLine).join("\n"),
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
