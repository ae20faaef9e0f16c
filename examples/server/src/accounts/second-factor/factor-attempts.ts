import type { AuthContext, BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { readSession } from "../session/read-session.js";

/** How many wrong codes an account may get in a row, and for how long it then accepts none. */
const maxAttempts = 10;
const pauseMs = 900_000;

const refusals = {
  tooMany: {
    code: "TOO_MANY_CODES",
    message: "Too many codes were wrong. Wait 15 minutes, then start again with your password.",
  },
  signedIn: {
    code: "ALREADY_SIGNED_IN",
    message: "You are already signed in. A code is only needed to sign in.",
  },
} as const;

const paths = new Set(["/two-factor/verify-totp", "/two-factor/verify-backup-code"]);
const model = "twoFactor";

interface Attempts {
  readonly failedVerificationCount?: number | null;
}

/** Returns the id of the user whose sign-in waits for the second factor. */
async function findWaiting(call: {
  readonly context: AuthContext;
  getSignedCookie(name: string, secret: string): Promise<string | null | false | undefined>;
}): Promise<string | undefined> {
  const { context } = call;
  const cookie = context.createAuthCookie("two_factor");
  const identifier = await call.getSignedCookie(cookie.name, context.secret);
  if (!identifier) return undefined;
  const found = await context.internalAdapter.findVerificationValue(identifier);
  return found && found.expiresAt > new Date() ? found.value : undefined;
}

/**
 * Reserves an attempt before the code is checked, so that any number of processes and simultaneous requests have ten
 * attempts together. A session cannot check codes: nothing would limit its guesses. A request with the session of one
 * account and the pending sign-in of another one counts for the latter, because the session may end before the code is
 * checked.
 */
const reserveAttempt = createAuthMiddleware(async (call) => {
  const { adapter } = call.context;
  const current = await readSession(call);
  if (current?.user.twoFactorEnabled) throw APIError.from("BAD_REQUEST", refusals.signedIn);
  const userId = await findWaiting(call);
  if (userId === undefined) return;
  const where = [{ field: "userId", value: userId }];
  const now = new Date();
  await adapter.incrementOne({
    model,
    where: [...where, { field: "lockedUntil", operator: "lte", value: now }],
    increment: {},
    set: { failedVerificationCount: 0, lockedUntil: null },
  });
  const reserved = await adapter.incrementOne<Attempts>({
    model,
    where: [...where, { field: "failedVerificationCount", operator: "lt", value: maxAttempts }],
    increment: { failedVerificationCount: 1 },
    set: { lockedUntil: new Date(now.getTime() + pauseMs) },
  });
  if (reserved !== null) return;
  // Without a factor, the endpoint itself refuses.
  const factor = await adapter.findOne<Attempts>({ model, where });
  if (factor) throw APIError.from("TOO_MANY_REQUESTS", refusals.tooMany);
});

const forgetAttempts = createAuthMiddleware(async (call) => {
  const { newSession, adapter } = call.context;
  if (!newSession) return;
  const where = [{ field: "userId", value: newSession.user.id }];
  const update = { failedVerificationCount: 0, lockedUntil: null };
  await adapter.updateMany({ model, where, update });
});

/**
 * Creates a plugin that limits guesses of the second factor. better-auth's own limit counts a wrong code after its check,
 * so that simultaneous guesses exceed it, and does not count those in a session.
 */
export const factorAttempts = () =>
  ({
    id: "factor-attempts",
    hooks: {
      before: [{ matcher: ({ path = "" }) => paths.has(path), handler: reserveAttempt }],
      after: [{ matcher: ({ path = "" }) => paths.has(path), handler: forgetAttempts }],
    },
  }) satisfies BetterAuthPlugin;
