import { counted } from "./plural.js";

export const byCode = {
  INVALID_EMAIL_OR_PASSWORD: "The e-mail address or the password is wrong. Check both.",
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL:
    "An account with this address exists. Sign in, or reset the password if you did not create it.",
  EMAIL_ALREADY_VERIFIED: "This address is already verified. Sign in.",
  EMAIL_MISMATCH: "You are signed in with a different address. Sign out first.",
  EMAIL_NOT_VERIFIED: "Verify your e-mail address first.",
  INVALID_PASSWORD: "The password is wrong. Try again, or reset it.",
  INVALID_TOKEN: "This link was already used or is incomplete. Request a new one.",
  TOKEN_EXPIRED: "This link has expired. Request a new one.",
  INVALID_CODE: "The code is wrong, has expired or was already used. Enter the next one.",
  INVALID_BACKUP_CODE: "This recovery code is wrong or was already used.",
  INVALID_TWO_FACTOR_COOKIE: "This took too long. Start again with your password.",
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "Too many codes were wrong. Start again with your password.",
  TOO_MANY_CODES:
    "Too many codes were wrong. Wait 15 minutes, then start again with your password.",
};
export const tooManyAttempts = (seconds: number) =>
  `Too many attempts. Wait ${counted(seconds, { one: "second", other: "seconds" })}, then try again.`;
export const unexpectedStatus = (status: number) =>
  `The server returned status ${status}. Try again.`;
export const offline = "The server can't be reached. Check your connection and try again.";
