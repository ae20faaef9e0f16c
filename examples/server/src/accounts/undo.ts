import { randomBytes } from "node:crypto";
import type { AuthContext, BetterAuthPlugin, User } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { z } from "zod";
import { createMailedToken, endPending, spendMailedToken } from "./mailed-token.js";

/** What a notice told the owner of an account. */
export const noticeKinds = [
  "sign-in",
  "password",
  "email",
  "factor-on",
  "factor-off",
  "recovery-codes",
  "device",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const undoMs = 7 * 86_400_000;
const resetMs = 3_600_000;

const refusals = {
  used: {
    code: "INVALID_TOKEN",
    message: "This link is invalid, expired or was already used. Reset your password instead.",
  },
  taken: {
    code: "EMAIL_TAKEN",
    message: "Your address belongs to another account now. Sign in to that one.",
  },
} as const;

const purposeOf = (kind: NoticeKind, email: string) => ["undo", kind, email];

/** Creates the token with which the owner of `user.email` can take the account back within seven days. */
export const createUndoToken = (
  context: Pick<AuthContext, "internalAdapter">,
  kind: NoticeKind,
  { id, email }: Pick<User, "id" | "email">,
) =>
  // Not the user's id alone: `endPending` must not delete it, because an attacker can cause that.
  createMailedToken(context, { purpose: purposeOf(kind, email), value: `undo:${id}` }, undoMs);

/**
 * Adds `POST /api/auth/undo`, which the link in a notice leads to. It ends all sessions and pending links, makes the
 * password useless, restores the address to which the notice went, removes a second factor that was just turned on, and
 * returns a token for a new password. The token proves that the caller reads the account's mail, like a password reset.
 */
const undoChange = createAuthEndpoint(
  "/undo",
  {
    method: "POST",
    body: z.object({
      token: z.string().max(100),
      email: z.string().max(254),
      kind: z.enum(noticeKinds),
    }),
  },
  async (call) => {
    const { adapter, internalAdapter } = call.context;
    const { token, email, kind } = call.body;
    const value = await spendMailedToken(call.context, purposeOf(kind, email), token);
    const user = value ? await internalAdapter.findUserById(value.slice("undo:".length)) : null;
    if (!user) throw APIError.from("BAD_REQUEST", refusals.used);
    const other = (await internalAdapter.findUserByEmail(email))?.user;
    if (other && other.id !== user.id) {
      if (other.emailVerified) throw APIError.from("BAD_REQUEST", refusals.taken);
      await internalAdapter.deleteUser(other.id);
    }
    const removesFactor = kind === "factor-on";
    await adapter.transaction(async (transaction) => {
      const ofUser = [{ field: "userId", value: user.id }];
      await transaction.updateMany({
        model: "user",
        where: [{ field: "id", value: user.id }],
        update: { email, ...(removesFactor && { twoFactorEnabled: false }) },
      });
      if (removesFactor) await transaction.deleteMany({ model: "twoFactor", where: ofUser });
      await transaction.updateMany({
        model: "account",
        where: [...ofUser, { field: "providerId", value: "credential" }],
        // A salt and random bytes instead of a hash: no password matches them.
        update: {
          password: `${randomBytes(16).toString("hex")}:${randomBytes(64).toString("hex")}`,
        },
      });
      await transaction.deleteMany({ model: "session", where: ofUser });
      await endPending({ adapter: transaction as AuthContext["adapter"] }, user.id);
    });
    const resetToken = randomBytes(24).toString("base64url");
    await internalAdapter.createVerificationValue({
      identifier: `reset-password:${resetToken}`,
      value: user.id,
      expiresAt: new Date(Date.now() + resetMs),
    });
    return call.json({ resetToken });
  },
);

/** Creates a plugin that takes an account back for the person who reads its mail. */
export const undo = () =>
  ({
    id: "undo",
    endpoints: { undoChange },
    rateLimit: [{ pathMatcher: (path) => path === "/undo", window: 10, max: 3 }],
  }) satisfies BetterAuthPlugin;
