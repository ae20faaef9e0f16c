import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import type { PasswordQueue } from "./password-queue.js";

/**
 * The paths whose requests wait for their turn before they begin. `/delete-user` is not one of them: it releases devices
 * after its hash, which may take long.
 */
const paths: ReadonlySet<string> = new Set([
  "/sign-up/email",
  "/sign-in/email",
  "/verify-email",
  "/reset-password",
  "/change-password",
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/get-totp-uri",
  "/two-factor/generate-backup-codes",
]);

/**
 * Creates a plugin that lets requests with a password wait for their turn: after the rate limit, and before anything
 * else. A sign-up hashes within a transaction. If it waited there, one site would hold all connections of the database.
 */
export const passwordTurns = (queue: PasswordQueue) =>
  ({
    id: "password-turns",
    hooks: {
      before: [
        {
          matcher: ({ path }) => path !== undefined && paths.has(path),
          handler: createAuthMiddleware(async () => queue.begin()),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;
