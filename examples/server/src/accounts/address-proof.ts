import { randomBytes } from "node:crypto";
import type { AuthContext, BetterAuthPlugin, User } from "better-auth";
import {
  APIError,
  createAuthEndpoint,
  createAuthMiddleware,
  dispatchAuthEndpoint,
  getSession,
} from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import { handToOwner } from "./hand-to-owner.js";

export interface MailedProof {
  readonly user: User;
  /** For `POST /api/auth/verify-email`, once. */
  readonly token: string;
  /** Where whoever signed up wants to go afterwards. */
  readonly next: string;
}

/** What a session may call before its account's address is verified. It changes nothing of the account. */
const openToUnverified = new Set([
  "/get-session",
  "/list-sessions",
  "/ok",
  "/error",
  "/request-password-reset",
  "/reset-password",
  "/reset-password/:token",
  "/revoke-other-sessions",
  "/revoke-session",
  "/revoke-sessions",
  "/send-verification-email",
  "/sign-in/email",
  "/sign-out",
  "/sign-up/email",
  "/token",
  "/verify-email",
  "/demo",
]);

const refusals = {
  used: {
    code: "INVALID_TOKEN",
    message: "This link was used or is not valid. Ask for a new one.",
  },
  expired: { code: "TOKEN_EXPIRED", message: "This link has expired. Ask for a new one." },
  wrong: {
    code: "INVALID_PASSWORD",
    message: "The password is wrong. Try again, or reset it: a reset verifies the address too.",
  },
  unverified: {
    code: "EMAIL_NOT_VERIFIED",
    message: "Verify your e-mail address first.",
  },
  changed: {
    code: "INVALID_EMAIL_OR_PASSWORD",
    message: "The password was changed meanwhile. Sign in with the new one.",
  },
  unreachable: {
    code: "INVALID_EMAIL",
    message: "No mail reaches an address that ends in .invalid. Use another one.",
  },
} as const;

/** How long a mailed link is good. */
const lifetimeMs = 3_600_000;

const identify = (token: string) => `verify-email:${token}`;

/** The account that a mailed link is about, as long as its address is not verified. */
async function findUnverified({ internalAdapter }: AuthContext, token: string): Promise<User> {
  const link = await internalAdapter.findVerificationValue(identify(token));
  if (link && link.expiresAt < new Date()) throw APIError.from("BAD_REQUEST", refusals.expired);
  const user = link && (await internalAdapter.findUserById(link.value));
  if (!user || user.emailVerified) throw APIError.from("BAD_REQUEST", refusals.used);
  return user;
}

/**
 * Verifies an address by `POST /api/auth/verify-email` with the token of the mailed link and the
 * account's password. The mail shows who reads the address, the password who signed up with it.
 */
const verifyEmail = createAuthEndpoint(
  "/verify-email",
  { method: "POST", body: z.object({ token: z.string(), password: z.string() }) },
  async (call) => {
    const { adapter, internalAdapter, password } = call.context;
    const user = await findUnverified(call.context, call.body.token);
    const hash = (await internalAdapter.findCredentialAccount(user.id))?.password;
    if (!hash || !(await password.verify({ hash, password: call.body.password })))
      throw APIError.from("UNAUTHORIZED", refusals.wrong);
    const verified = await adapter.transaction(async (transaction) => {
      const changed = await transaction.updateMany({
        model: "user",
        where: [
          { field: "id", value: user.id },
          { field: "emailVerified", value: false },
        ],
        update: { emailVerified: true },
      });
      if (changed === 0) return false;
      const of = (field: string) => [{ field, value: user.id }];
      await transaction.deleteMany({ model: "session", where: of("userId") });
      await transaction.deleteMany({ model: "verification", where: of("value") });
      return true;
    });
    if (!verified) throw APIError.from("BAD_REQUEST", refusals.used);
    const session = await internalAdapter.createSession(user.id);
    await setSessionCookie(call, { session, user: { ...user, emailVerified: true } });
    return call.json({ status: true });
  },
);

/** Lets an account without a verified address change nothing about itself. */
const refuseUnverified = createAuthMiddleware(async (call) => {
  if (call.headers === undefined) return;
  // By way of the hooks, so that a bearer token counts as the cookie does.
  const session = (await dispatchAuthEndpoint(getSession(), {
    context: call.context,
    headers: call.headers,
    method: "GET",
    asResponse: false,
    query: { disableRefresh: true },
  })) as { readonly user: Pick<User, "emailVerified"> } | null;
  if (session && !session.user.emailVerified) throw APIError.from("FORBIDDEN", refusals.unverified);
});

/** Nobody can prove such an address, and the demo's account has one. */
const refuseUnreachable = createAuthMiddleware(async (call) => {
  const { email } = (call.body ?? {}) as { readonly email?: unknown };
  if (typeof email === "string" && /\.invalid\.?$/i.test(email))
    throw APIError.from("BAD_REQUEST", refusals.unreachable);
});

/**
 * Checks the password once more when the session exists: a reset that ended all sessions while the
 * password was being checked would otherwise miss this one.
 */
const recheckPassword = createAuthMiddleware(async (call) => {
  const { newSession, internalAdapter, password } = call.context;
  if (!newSession) return;
  const checked = (call.body as { readonly password: string }).password;
  const hash = (await internalAdapter.findCredentialAccount(newSession.user.id))?.password;
  if (hash && (await password.verify({ hash, password: checked }))) return;
  await internalAdapter.deleteSession(newSession.session.token);
  throw APIError.from("UNAUTHORIZED", refusals.changed);
});

/**
 * Keeps whoever signs up with somebody else's address from keeping a way into the account when its
 * owner proves the address. Replaces better-auth's own `verifyEmail`, which verifies by a GET.
 */
export const addressProof = (sendProof: (proof: MailedProof, request?: Request) => void) =>
  ({
    id: "address-proof",
    init: (context) => ({
      options: {
        emailAndPassword: {
          enabled: true,
          onPasswordReset: ({ user }) => handToOwner(context, user),
        },
        emailVerification: {
          // Not better-auth's token: whoever has the secret that signs it could make one.
          async sendVerificationEmail({ user, url }, request) {
            const token = randomBytes(24).toString("base64url");
            const expiresAt = new Date(Date.now() + lifetimeMs);
            const link = { identifier: identify(token), value: user.id, expiresAt };
            await context.internalAdapter.createVerificationValue(link);
            const next = new URL(url).searchParams.get("callbackURL") ?? "/";
            sendProof({ user, token, next }, request);
          },
        },
      },
    }),
    endpoints: { verifyEmail },
    hooks: {
      before: [
        { matcher: ({ path = "" }) => !openToUnverified.has(path), handler: refuseUnverified },
        { matcher: ({ path }) => path === "/sign-up/email", handler: refuseUnreachable },
      ],
      after: [
        {
          matcher: ({ path }) => path === "/sign-in/email" || path === "/verify-email",
          handler: recheckPassword,
        },
      ],
    },
    // As better-auth limits signing in: by address, with a window in seconds.
    rateLimit: [{ pathMatcher: (path) => path === "/verify-email", window: 10, max: 3 }],
  }) satisfies BetterAuthPlugin;
