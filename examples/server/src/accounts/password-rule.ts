import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { isCommonPassword } from "./common-passwords.js";
import { endPending } from "./mailed-token.js";
import { readSession } from "./read-session.js";

const refusal = {
  code: "PASSWORD_TOO_COMMON",
  message: "This password is among the first that attackers try. Choose one that nobody guesses.",
};

const wordsOf = (email: unknown) =>
  typeof email === "string" ? [email, email.split("@")[0] ?? ""].filter((word) => word !== "") : [];

/** Rejects a common password wherever one is set. A password that is only checked may be any. */
const refuseCommon = createAuthMiddleware(async (call) => {
  const body = (call.body ?? {}) as Readonly<Record<string, unknown>>;
  const chosen = body["newPassword"] ?? body["password"];
  if (typeof chosen !== "string") return;
  const { user } = (await readSession(call)) ?? {};
  const own = [body["email"], user?.email].flatMap(wordsOf);
  const name = typeof body["name"] === "string" ? [body["name"]] : [];
  if (isCommonPassword(chosen, [...own, ...name])) throw APIError.from("BAD_REQUEST", refusal);
});

/** A new password ends all other sessions, whatever the caller asked for. */
const endOtherSessions = createAuthMiddleware(async (call) => ({
  context: { ...call, body: { ...(call.body as object), revokeOtherSessions: true } },
}));

/** It also ends sign-ins that wait for their second factor, because they began with the earlier password. */
const endBegunSignIns = createAuthMiddleware(async (call) => {
  const { returned, session } = call.context;
  if (returned instanceof Error || !session) return;
  await endPending(call.context, session.user.id);
});

const setsPassword = (path = "", body: unknown) =>
  path.startsWith("/sign-up/") ||
  (typeof body === "object" && body !== null && "newPassword" in body);

/** Creates a plugin that checks new passwords against a local list (NIST SP 800-63B). */
export const passwordRule = () =>
  ({
    id: "password-rule",
    hooks: {
      before: [
        { matcher: ({ path, body }) => setsPassword(path, body), handler: refuseCommon },
        { matcher: ({ path }) => path === "/change-password", handler: endOtherSessions },
      ],
      after: [{ matcher: ({ path }) => path === "/change-password", handler: endBegunSignIns }],
    },
  }) satisfies BetterAuthPlugin;
