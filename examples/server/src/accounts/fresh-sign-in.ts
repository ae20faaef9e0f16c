import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { isUnreachable, openToUnverified } from "./address/address-proof.js";
import { readSession } from "./session/read-session.js";

/** How long after a sign-in an account can be changed. */
const freshMs = 600_000;

/**
 * What a session may call at any age. Everything else needs a sign-in within the last 10 minutes, also the endpoints of
 * later versions of better-auth.
 */
const openToAnyAge = new Set([
  ...openToUnverified,
  "/confirm-email",
  "/two-factor/verify-backup-code",
  "/two-factor/verify-totp",
  "/update-user",
]);

const refusals = {
  stale: {
    code: "FRESH_SIGN_IN_REQUIRED",
    message: "This needs a sign-in within the last 10 minutes. Sign in again, then repeat it.",
  },
  demo: {
    code: "DEMO_ACCOUNT",
    message: "The demo's account cannot be changed. Create an account of your own.",
  },
} as const;

const refuseStale = createAuthMiddleware(async (call) => {
  const current = await readSession(call);
  if (current === null) return;
  if (isUnreachable(current.user.email)) throw APIError.from("FORBIDDEN", refusals.demo);
  const age = Date.now() - current.session.createdAt.getTime();
  if (age >= freshMs) throw APIError.from("FORBIDDEN", refusals.stale);
});

/** A sign-in replaces the session that the request carries, so that signing in again leaves no second session behind. */
const replaceSession = createAuthMiddleware(async (call) => {
  const { newSession, internalAdapter, authCookies, secret } = call.context;
  const before = await call.getSignedCookie(authCookies.sessionToken.name, secret);
  if (!newSession || !before || before === newSession.session.token) return;
  const replaced = await internalAdapter.findSession(before);
  if (replaced?.session.userId === newSession.user.id) await internalAdapter.deleteSession(before);
});

/** Creates a plugin that lets a session change its account only shortly after the user signed in. */
export const freshSignIn = () =>
  ({
    id: "fresh-sign-in",
    hooks: {
      before: [{ matcher: ({ path = "" }) => !openToAnyAge.has(path), handler: refuseStale }],
      after: [{ matcher: ({ path }) => path === "/sign-in/email", handler: replaceSession }],
    },
  }) satisfies BetterAuthPlugin;
