import { describeProgram } from "@device-gateway/example-dashboard/describe-program";
import type { AuthContext, BetterAuthPlugin, User } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { readSession } from "../session/read-session.js";
import { createUndoToken, type NoticeKind } from "./undo.js";

/** A change that the owner of an account must hear of. */
export interface SecurityNotice {
  readonly kind: NoticeKind;
  /** The account with the address that hears of it. */
  readonly user: Pick<User, "id" | "email" | "name">;
  /** The token for `POST /api/auth/undo`. */
  readonly token: string;
  /** What happened where, such as the program and the address of a sign-in, or the device's id. */
  readonly detail: string;
}

export type SendNotice = (notice: SecurityNotice, request?: Request) => void;

/** Sends a notice with a new undo token. */
export async function giveNotice(
  context: Pick<AuthContext, "internalAdapter">,
  send: SendNotice,
  notice: Omit<SecurityNotice, "token">,
  request?: Request,
): Promise<void> {
  send({ ...notice, token: await createUndoToken(context, notice.kind, notice.user) }, request);
}

const knownSeconds = 365 * 86_400;

/** The changes that an endpoint makes when it succeeds. */
const kinds: Readonly<Record<string, NoticeKind>> = {
  "/change-password": "password",
  "/two-factor/disable": "factor-off",
  "/two-factor/generate-backup-codes": "recovery-codes",
};
const signIns = new Set([
  "/sign-in/email",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
]);

/**
 * Creates a plugin that tells users of sign-ins from new browsers and of changed passwords and factors. A browser is
 * known by a cookie. Accounts without a verified address get no notices, because anyone can create one with any address.
 */
export function securityNotices(send: SendNotice) {
  /** Requests with the session of a signed-in user. The cookie alone proves none, because its session may have ended. */
  const signedIn = new WeakSet<Request>();
  const noteSession = createAuthMiddleware(async (call) => {
    if (call.request && (await readSession(call)) !== null) signedIn.add(call.request);
  });
  const onSignIn = createAuthMiddleware(async (call) => {
    const { context } = call;
    const { newSession } = context;
    if (!newSession?.user.emailVerified) return;
    const { user, session } = newSession;
    const cookie = context.createAuthCookie("known_browser", { maxAge: knownSeconds });
    const known = await call.getSignedCookie(cookie.name, context.secret);
    await call.setSignedCookie(cookie.name, user.id, context.secret, cookie.attributes);
    // The code that turns the second factor on is not a sign-in.
    const enabling = call.request !== undefined && signedIn.has(call.request);
    const kind = enabling ? "factor-on" : "sign-in";
    const isNew = known !== user.id && call.path !== "/verify-email";
    if (!enabling && !isNew) return;
    const program = describeProgram(session.userAgent ?? "");
    const detail = `${program}, from the address ${session.ipAddress || "unknown"}`;
    await giveNotice(context, send, { kind, user, detail }, call.request);
  });
  const onChange = createAuthMiddleware(async (call) => {
    const { returned, session } = call.context;
    const kind = kinds[call.path ?? ""];
    if (returned instanceof Error || !session || !kind) return;
    await giveNotice(call.context, send, { kind, user: session.user, detail: "" }, call.request);
  });
  return {
    id: "security-notices",
    hooks: {
      before: [{ matcher: ({ path }) => path === "/two-factor/verify-totp", handler: noteSession }],
      after: [
        {
          matcher: ({ path = "" }) => signIns.has(path) || path === "/verify-email",
          handler: onSignIn,
        },
        { matcher: ({ path = "" }) => path in kinds, handler: onChange },
      ],
    },
  } satisfies BetterAuthPlugin;
}
