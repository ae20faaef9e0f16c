import type { AuthContext, BetterAuthPlugin, User } from "better-auth";
import { APIError, createAuthEndpoint, createAuthMiddleware } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import { readSession } from "../session/read-session.js";
import { handToOwner } from "./hand-to-owner.js";
import { createLinkToken, endPending } from "./mailed-token.js";

export interface MailedProof {
  readonly user: User;
  /** The token for `POST /api/auth/verify-email`. It works once. */
  readonly token: string;
  /** The path that the user asked to open after verification. */
  readonly next: string;
}

/** The paths that a session may call before the address is verified. None of them changes the account's data. */
export const openToUnverified: ReadonlySet<string> = new Set([
  "/get-session",
  "/list-sessions",
  "/request-password-reset",
  "/reset-password",
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
  "/undo",
]);

const refusals = {
  used: {
    code: "INVALID_TOKEN",
    message: "This link is invalid or was already used. Request a new one.",
  },
  expired: { code: "TOKEN_EXPIRED", message: "This link has expired. Request a new one." },
  wrong: {
    code: "INVALID_PASSWORD",
    message: "The password is wrong. Try again or reset it. A reset also verifies the address.",
  },
  unverified: {
    code: "EMAIL_NOT_VERIFIED",
    message: "Verify your e-mail address first.",
  },
  changed: {
    code: "INVALID_EMAIL_OR_PASSWORD",
    message: "The password has just been changed. Sign in with the new one.",
  },
  unreachable: {
    code: "INVALID_EMAIL",
    message: "An address that ends in .invalid cannot receive mail. Use another one.",
  },
} as const;

const toIdentifier = (token: string) => `verify-email:${token}`;

/** Returns the account of a mailed link. Throws if the link is expired or unknown, or the address is already verified. */
async function findUnverified({ internalAdapter }: AuthContext, token: string): Promise<User> {
  const link = await internalAdapter.findVerificationValue(toIdentifier(token));
  if (link && link.expiresAt < new Date()) throw APIError.from("BAD_REQUEST", refusals.expired);
  const user = link && (await internalAdapter.findUserById(link.value));
  if (!user || user.emailVerified) throw APIError.from("BAD_REQUEST", refusals.used);
  return user;
}

/**
 * Adds `POST /api/auth/verify-email`, which verifies an address with the mailed link's token and the account's password.
 * The token proves that the caller reads the address's mail; the password proves that the caller signed up.
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

/** Rejects requests by which an account without a verified address would change its own data. */
const refuseUnverified = createAuthMiddleware(async (call) => {
  const current = await readSession(call);
  if (current && !current.user.emailVerified) throw APIError.from("FORBIDDEN", refusals.unverified);
});

/** Whether nobody can verify an address. The demo's account uses such an address. */
export const isUnreachable = (email: string) => /\.invalid\.?$/i.test(email);

/** Rejects addresses that end in `.invalid`. */
const refuseUnreachable = createAuthMiddleware(async (call) => {
  const { email, newEmail = email } = (call.body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof newEmail === "string" && isUnreachable(newEmail))
    throw APIError.from("BAD_REQUEST", refusals.unreachable);
});

/** The paths that check a password and then create a session. A change of the password has a check of its own. */
const startsSession: ReadonlySet<string> = new Set([
  "/sign-in/email",
  "/two-factor/disable",
  "/verify-email",
]);

/**
 * Checks the password again after the session was created. Otherwise, a reset that ends all sessions while a request
 * checks the old password would miss the new session.
 */
const recheckPassword = createAuthMiddleware(async (call) => {
  const { newSession, internalAdapter, password } = call.context;
  if (!newSession) return;
  const checked = (call.body as { readonly password: string }).password;
  let isCorrect = false;
  try {
    const hash = (await internalAdapter.findCredentialAccount(newSession.user.id))?.password;
    isCorrect = !!hash && (await password.verify({ hash, password: checked }));
  } finally {
    if (!isCorrect) {
      await internalAdapter.deleteSession(newSession.session.token);
      // Later hooks would begin the check of a second factor.
      call.context.setNewSession(null);
    }
  }
  // The second factor is off already. An error would keep its notice from the owner.
  if (isCorrect || call.path === "/two-factor/disable") return;
  throw APIError.from("UNAUTHORIZED", refusals.changed);
});

/**
 * Creates a plugin against pre-hijacking: anybody who signs up with another person's address loses all access once that
 * person verifies the address. Replaces better-auth's own `verifyEmail`, which verifies on a GET.
 */
export const addressProof = (
  sendProof: (proof: MailedProof, request?: Request) => void,
  onReset?: (context: AuthContext, user: User, request?: Request) => Promise<void>,
) =>
  ({
    id: "address-proof",
    init: (context) => ({
      options: {
        emailAndPassword: {
          enabled: true,
          async onPasswordReset({ user }, request) {
            await handToOwner(context, user);
            // A request that checked the old password may have created a session before the new one was stored.
            await context.internalAdapter.deleteUserSessions(user.id);
            await endPending(context, user.id);
            if (user.emailVerified) await onReset?.(context, user, request);
          },
        },
        emailVerification: {
          // better-auth's own token is signed, so anyone with the signing secret could create one. This one is random.
          async sendVerificationEmail({ user, url }, request) {
            const token = await createLinkToken(context, "verify-email", user.id);
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
        {
          matcher: ({ path }) => path === "/sign-up/email" || path === "/change-email",
          handler: refuseUnreachable,
        },
      ],
      after: [
        {
          matcher: ({ path = "" }) => startsSession.has(path),
          handler: recheckPassword,
        },
      ],
    },
    // The same limit as better-auth's for sign-in: per client address; the window is in seconds.
    rateLimit: [{ pathMatcher: (path) => path === "/verify-email", window: 10, max: 3 }],
  }) satisfies BetterAuthPlugin;
