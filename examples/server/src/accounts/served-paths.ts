/**
 * The paths below `/api/auth` that the bundled server serves. better-auth has more: for social providers, for mailed links
 * that are opened by GET, and for codes by mail. This server uses none of those, so it refuses requests for them before
 * better-auth sees them.
 */
export const servedPaths = [
  "/sign-up/email",
  "/sign-in/email",
  "/sign-out",
  "/demo",
  "/token",
  "/get-session",
  "/list-sessions",
  "/revoke-session",
  "/revoke-sessions",
  "/revoke-other-sessions",
  "/send-verification-email",
  "/verify-email",
  "/change-email",
  "/confirm-email",
  "/undo",
  "/request-password-reset",
  "/reset-password",
  "/change-password",
  "/update-user",
  "/delete-user",
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/get-totp-uri",
  "/two-factor/generate-backup-codes",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
] as const;
