import { toSafeLine } from "../../log/unsafe-text.js";
import type { EmailChangeStep } from "../address/change-email.js";
import type { SecurityNotice } from "./security-notices.js";
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

/** Creates the mail that asks one of the two addresses to confirm a change of address. */
export const emailChangeMail = ({ step, user, newEmail }: EmailChangeStep, url: string): Mail =>
  step === "old"
    ? toMail(user, "Confirm the change of your e-mail address", [
        "Somebody signed in to your account asked to change its e-mail address to:",
        "",
        newEmail,
        "",
        "If it was you, open this link while you are signed in. The link is valid for one hour:",
        "",
        url,
        "",
        "If it was not you, do not open it, and change your password. Your address does not change.",
      ])
    : toMail({ ...user, email: newEmail }, "Confirm your new e-mail address", [
        "Open this link while you are signed in, to use this address for your account. The link is valid for one hour:",
        "",
        url,
        "",
        "If you did not request this, ignore this mail. Nothing changes.",
      ]);

/** Creates the mail to the owner of an account whose address somebody else tried to use. */
export const addressTakenMail = (to: Recipient): Mail =>
  toMail(to, "Somebody entered your e-mail address", [
    "Somebody tried to change another account's e-mail address to yours. Nothing has changed.",
    "",
    "If it was you: this address already has an account. Sign in to it, or enter another address.",
  ]);

/** Creates the mail that tells an owner that the account was deleted. Nothing can undo that. */
export const accountDeletedMail = (to: Recipient): Mail =>
  toMail(to, "Your account was deleted", [
    "Your account and its sessions were deleted, and its devices were released.",
    "",
    "If it was not you, tell the operator of this server, and claim your devices again at once.",
  ]);

const noticeTexts: Readonly<Record<SecurityNotice["kind"], readonly [string, string]>> = {
  "sign-in": ["New sign-in", "Somebody signed in to your account from a new browser or program:"],
  password: ["Your password was changed", "The password of your account was changed."],
  email: ["Your e-mail address was changed", "The e-mail address of your account was changed to:"],
  "factor-on": ["Second factor turned on", "A second factor was turned on for your account:"],
  "factor-off": ["Second factor turned off", "The second factor of your account was turned off."],
  "recovery-codes": [
    "New recovery codes",
    "New recovery codes were created for your account. The earlier ones no longer work.",
  ],
  device: ["Your devices have changed", "This happened in your account:"],
};

/** Creates the mail that tells a user of a change, with the link that undoes it. */
export function noticeMail({ kind, user, detail }: SecurityNotice, url: string): Mail {
  const [subject, sentence] = noticeTexts[kind];
  return toMail(user, subject, [
    sentence,
    ...(detail === "" ? [] : ["", detail.slice(0, 300)]),
    "",
    "If it was you, you need to do nothing.",
    "If it was not you, open this link within seven days. It signs everybody out and lets you choose a new password:",
    "",
    url,
  ]);
}
