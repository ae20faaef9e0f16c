import { randomBytes } from "node:crypto";
import type { AuthContext, BetterAuthPlugin, User } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { symmetricEncrypt } from "better-auth/crypto";
import { z } from "zod";
import {
  createLinkToken,
  createMailedToken,
  endPending,
  spendMailedToken,
} from "../address/mailed-token.js";
import { isOnSince } from "../second-factor/one-time-codes.js";

/** What a notice reports to the owner of an account. */
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

/**
 * The value of a token: the account, and the address to which the notice went. Not the account's id alone, because
 * `endPending` deletes that, and an attacker can cause it.
 */
const tokenValue = (id: string, email: string) => `undo:${id}:${email}`;
const idIn = (value: string) => value.split(":")[1] ?? "";

/** Creates the token with which the owner of `user.email` can take the account back within seven days. */
export const createUndoToken = (
  context: Pick<AuthContext, "internalAdapter">,
  kind: NoticeKind,
  { id, email }: Pick<User, "id" | "email">,
) =>
  createMailedToken(
    context,
    { purpose: purposeOf(kind, email), value: tokenValue(id, email) },
    undoMs,
  );

/**
 * Invalidates the notices that were sent to other addresses after this one. Otherwise, a thief who had moved the
 * account to another address could take it again.
 */
const endLaterNotices = (
  { adapter }: Pick<AuthContext, "adapter">,
  { id, email }: Pick<User, "id" | "email">,
  expiresAt: Date,
) =>
  adapter.deleteMany({
    model: "verification",
    where: [
      { field: "value", operator: "starts_with", value: tokenValue(id, "") },
      { field: "value", operator: "ne", value: tokenValue(id, email) },
      // All of them are valid for the same time, so a later one expires later.
      { field: "expiresAt", operator: "gt", value: expiresAt },
    ],
  });

/** Releases the devices of an account that is deleted. */
type ReleaseDevices = (userId: string) => Promise<void>;

/**
 * Adds `POST /api/auth/undo`, which the link in a notice leads to. It ends all sessions and pending links, invalidates
 * the password, restores the address to which the notice was sent, removes a second factor that was turned on since the
 * notice or by the change that it reports, and invalidates newly created recovery codes. It returns a token for a new
 * password. The token proves that the caller reads the account's mail, like a password reset.
 */
const createUndoChange = (releaseDevices: ReleaseDevices) =>
  createAuthEndpoint(
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
      const spent = await spendMailedToken(call.context, purposeOf(kind, email), token);
      const user = spent && (await internalAdapter.findUserById(idIn(spent.value)));
      if (!user) throw APIError.from("BAD_REQUEST", refusals.used);
      const other = (await internalAdapter.findUserByEmail(email))?.user;
      if (other && other.id !== user.id) {
        if (other.emailVerified) throw APIError.from("BAD_REQUEST", refusals.taken);
        await releaseDevices(other.id);
        await internalAdapter.deleteUser(other.id);
      }
      const ofUser = [{ field: "userId", value: user.id }];
      const factor = await adapter.findOne<{ firstStep: number }>({
        model: "twoFactor",
        where: ofUser,
      });
      const noticedAt = spent.expiresAt.getTime() - undoMs;
      const removesFactor =
        kind === "factor-on" || (factor !== null && isOnSince(factor, noticedAt));
      const noCodes = await symmetricEncrypt({ key: call.context.secretConfig, data: "[]" });
      await adapter.transaction(async (transaction) => {
        // In the same order as a change of the password. Otherwise, Postgres would end one of the two as a deadlock.
        await transaction.deleteMany({ model: "session", where: ofUser });
        await transaction.updateMany({
          model: "account",
          where: [...ofUser, { field: "providerId", value: "credential" }],
          // A salt and random bytes instead of a hash: no password matches them.
          update: {
            password: `${randomBytes(16).toString("hex")}:${randomBytes(64).toString("hex")}`,
          },
        });
        await transaction.updateMany({
          model: "user",
          where: [{ field: "id", value: user.id }],
          update: { email, ...(removesFactor && { twoFactorEnabled: false }) },
        });
        if (removesFactor) await transaction.deleteMany({ model: "twoFactor", where: ofUser });
        else if (kind === "recovery-codes")
          await transaction.updateMany({
            ...{ model: "twoFactor", where: ofUser, update: { backupCodes: noCodes } },
          });
        const within = { adapter: transaction as AuthContext["adapter"] };
        await endPending(within, user.id);
        await endLaterNotices(within, { id: user.id, email }, spent.expiresAt);
      });
      // A request that checked the earlier password may have created a session before the transaction ended.
      await adapter.deleteMany({ model: "session", where: ofUser });
      const resetToken = await createLinkToken(call.context, "reset-password", user.id);
      return call.json({ resetToken });
    },
  );

/** Creates a plugin that takes an account back for the person who reads its mail. */
export const undo = (releaseDevices: ReleaseDevices) =>
  ({
    id: "undo",
    endpoints: { undoChange: createUndoChange(releaseDevices) },
    rateLimit: [{ pathMatcher: (path) => path === "/undo", window: 10, max: 3 }],
  }) satisfies BetterAuthPlugin;
