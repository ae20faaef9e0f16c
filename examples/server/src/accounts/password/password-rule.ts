import type { BetterAuthPlugin, HookEndpointContext } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { endPending } from "../address/mailed-token.js";
import { readSession } from "../session/read-session.js";
import { isCommonPassword } from "./common-passwords.js";

const refusal = {
  code: "PASSWORD_TOO_COMMON",
  message: "This password is among the first that attackers try. Choose one that nobody guesses.",
};

interface Owner {
  readonly email?: unknown;
  readonly name?: unknown;
}

/** The words that belong to an account: its address, the part before the @, and its name. */
const wordsOf = ({ email, name }: Owner) =>
  [email, typeof email === "string" ? email.split("@")[0] : "", name].filter(
    (word): word is string => typeof word === "string" && word !== "",
  );

/** Returns the account whose password a request sets: that of the mailed link, or that of the session. */
async function findOwner(
  call: Pick<HookEndpointContext, "context" | "headers">,
  token: unknown,
): Promise<Owner | null> {
  if (typeof token !== "string") return (await readSession(call))?.user ?? null;
  const { internalAdapter } = call.context;
  const link = await internalAdapter.findVerificationValue(`reset-password:${token}`);
  return link && internalAdapter.findUserById(link.value);
}

/** Rejects a common password wherever one is set. A password that is only checked may be any. */
const refuseCommon = createAuthMiddleware(async (call) => {
  const body = (call.body ?? {}) as Readonly<Record<string, unknown>>;
  const chosen = body["newPassword"] ?? body["password"];
  if (typeof chosen !== "string") return;
  const token = body["token"] ?? (call.query as typeof body | undefined)?.["token"];
  const owner = (await findOwner(call, token)) ?? {};
  if (isCommonPassword(chosen, [body, owner].flatMap(wordsOf)))
    throw APIError.from("BAD_REQUEST", refusal);
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
