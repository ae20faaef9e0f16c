import { toSafeLine } from "../unsafe-text.js";
import type { Mail } from "./send-mail.js";

interface Recipient {
  readonly email: string;
  readonly name: string;
}

/** Matches text that mail programs turn into a link. */
const linkLike = /[/:@]|\.\p{L}/u;

/** Anyone can sign up with another person's address and choose the name, so the name must not carry a message to them. */
const greeting = (name: string) => (linkLike.test(name) ? "Hello," : `Hello ${name},`);

/** Creates every mail. No part of a line can add another line. */
const toMail = ({ email, name }: Recipient, subject: string, lines: readonly string[]): Mail => ({
  to: toSafeLine(email),
  subject,
  text: [greeting(name), "", ...lines].map(toSafeLine).join("\n"),
});

/** Creates the mail that asks a new user to verify the address. The link alone verifies nothing. */
export const verificationMail = (to: Recipient, url: string): Mail =>
  toMail(to, "Verify your e-mail address", [
    "Open this link and enter your password to verify your address. The link is valid for one hour:",
    "",
    url,
    "",
    "If you did not sign up, ignore this mail. Without the password, the address is not verified.",
  ]);

/** Creates the mail with the link that resets a password. */
export const passwordMail = (to: Recipient, url: string): Mail =>
  toMail(to, "Choose a new password", [
    "Open this link to choose a new password. The link is valid for one hour:",
    "",
    url,
    "",
    "If you did not request this, ignore this mail. Your password does not change.",
  ]);
