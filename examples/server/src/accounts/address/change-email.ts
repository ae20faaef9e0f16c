import type { AuthContext, BetterAuthPlugin, User } from "better-auth";
import { APIError, createAuthEndpoint, sessionMiddleware } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import { createMailedToken, endPending, spendMailedToken } from "./mailed-token.js";

/** A step of a change of address. Each step asks one of the two addresses. */
export interface EmailChangeStep {
  readonly step: "old" | "new";
  readonly user: User;
  readonly newEmail: string;
  /** The token for `POST /api/auth/confirm-email`. It works once, in a session of the same account. */
  readonly token: string;
}

interface ChangeOptions {
  readonly sendStep: (step: EmailChangeStep, request?: Request) => void;
  /** Tells the owner of an address that is in use that somebody tried to use it. */
  readonly sendTaken: (user: User, request?: Request) => void;
  readonly onChanged: (
    context: AuthContext,
    user: User,
    newEmail: string,
    request?: Request,
  ) => Promise<void>;
}

const refusals = {
  used: {
    code: "INVALID_TOKEN",
    message:
      "This link is invalid, was already used, or belongs to another account. Start the change again.",
  },
  same: { code: "EMAIL_UNCHANGED", message: "This is your address already. Enter another one." },
  taken: { code: "EMAIL_TAKEN", message: "The address could not be set. Use another one." },
} as const;

const lifetimeMs = 3_600_000;
const Address = z
  .email()
  .max(254)
  .transform((email) => email.toLowerCase());
const purposeOf = (step: EmailChangeStep["step"], newEmail: string) => [
  "change-email",
  step,
  newEmail,
];

/**
 * Replaces better-auth's `/change-email`, whose links work by GET and in no session. Here each link works once, by POST
 * and in a session of the account. So neither a mail scanner nor the owner of an address that somebody else entered can
 * complete a change.
 */
const changeEmail = ({ sendStep }: ChangeOptions) =>
  createAuthEndpoint(
    "/change-email",
    { method: "POST", body: z.object({ newEmail: Address }), use: [sessionMiddleware] },
    async (call) => {
      const { user } = call.context.session;
      const { newEmail } = call.body;
      if (newEmail === user.email) throw APIError.from("BAD_REQUEST", refusals.same);
      const purpose = purposeOf("old", newEmail);
      const token = await createMailedToken(call.context, { purpose, value: user.id }, lifetimeMs);
      sendStep({ step: "old", user, newEmail, token }, call.request);
      return call.json({ status: true });
    },
  );

/** Adds `POST /api/auth/confirm-email`: the first link sends the second one, and the second one changes the address. */
const confirmEmail = ({ sendStep, sendTaken, onChanged }: ChangeOptions) =>
  createAuthEndpoint(
    "/confirm-email",
    {
      method: "POST",
      body: z.object({
        token: z.string().max(100),
        newEmail: Address,
        step: z.enum(["old", "new"]),
      }),
      use: [sessionMiddleware],
    },
    async (call) => {
      const { adapter, internalAdapter } = call.context;
      const { session, user } = call.context.session;
      const { token, newEmail, step } = call.body;
      const spent = await spendMailedToken(call.context, purposeOf(step, newEmail), token);
      if (spent?.value !== user.id) throw APIError.from("BAD_REQUEST", refusals.used);
      const taken = (await internalAdapter.findUserByEmail(newEmail))?.user;
      if (step === "old") {
        const purpose = purposeOf("new", newEmail);
        const next = await createMailedToken(call.context, { purpose, value: user.id }, lifetimeMs);
        // The response is the same, so that nobody finds out which addresses have accounts.
        if (taken) sendTaken(taken, call.request);
        else sendStep({ step: "new", user, newEmail, token: next }, call.request);
        return call.json({ status: true, done: false });
      }
      if (taken) throw APIError.from("BAD_REQUEST", refusals.taken);
      const changed = await adapter
        .updateMany({
          model: "user",
          where: [
            { field: "id", value: user.id },
            { field: "email", value: user.email },
          ],
          update: { email: newEmail, emailVerified: true },
        })
        .catch(async (error: unknown) => {
          const holder = (await internalAdapter.findUserByEmail(newEmail))?.user;
          // Another account has just taken the address.
          if (holder && holder.id !== user.id) return 0;
          throw error;
        });
      if (changed === 0) throw APIError.from("BAD_REQUEST", refusals.taken);
      const others = { field: "token", operator: "ne" as const, value: session.token };
      const where = [{ field: "userId", value: user.id }, others];
      await adapter.deleteMany({ model: "session", where });
      await endPending(call.context, user.id);
      await setSessionCookie(call, { session, user: { ...user, email: newEmail } });
      await onChanged(call.context, user, newEmail, call.request);
      return call.json({ status: true, done: true });
    },
  );

/** Creates a plugin that changes an account's address after both addresses confirmed it. */
export const emailChange = (options: ChangeOptions) =>
  ({
    id: "email-change",
    endpoints: { changeEmail: changeEmail(options), confirmEmail: confirmEmail(options) },
  }) satisfies BetterAuthPlugin;
