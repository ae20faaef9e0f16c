import { hkdfSync } from "node:crypto";
import type { Logger } from "@device-gateway/core";
import { type AuthContext, type BetterAuthOptions, betterAuth, type User } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { bearer } from "better-auth/plugins/bearer";
import { twoFactor } from "better-auth/plugins/two-factor";
import { addressProof, type MailedProof } from "./address/address-proof.js";
import { emailChange } from "./address/change-email.js";
import { mailRequests } from "./address/mail-requests.js";
import { disableAuthContextsWhenIdle } from "./auth-contexts.js";
import { clientAddressHeader } from "./client-address.js";
import type { AccountDatabase } from "./database/account-database.js";
import type { DemoAccess } from "./demo/demo-access.js";
import { demoSignIn } from "./demo/demo-sign-in.js";
import { freshSignIn } from "./fresh-sign-in.js";
import {
  accountDeletedMail,
  addressTakenMail,
  emailChangeMail,
  noticeMail,
  passwordMail,
  verificationMail,
} from "./mail/account-mails.js";
import { pageLink } from "./mail/page-link.js";
import { giveNotice, type SendNotice, securityNotices } from "./mail/security-notices.js";
import type { Mail, SendMail } from "./mail/send-mail.js";
import { undo } from "./mail/undo.js";
import { nameRule } from "./name-rule.js";
import { ownToken } from "./own-token.js";
import { passwordChange } from "./password/password-change.js";
import { createPasswordQueue, type PasswordQueue } from "./password/password-queue.js";
import { passwordRule } from "./password/password-rule.js";
import { passwordTurns } from "./password/password-turns.js";
import { createRateLimits } from "./rate-limits/create-rate-limits.js";
import type { RateLimits } from "./rate-limits/rate-limits.js";
import { factorAttempts } from "./second-factor/factor-attempts.js";
import { oneTimeCodes } from "./second-factor/one-time-codes.js";
import { removeFactor } from "./second-factor/remove-factor.js";
import { sessionLife, sessionOptions } from "./session/session-life.js";
import { takeTurns } from "./take-turns.js";
import { textRule } from "./text-rule.js";

export interface AuthOptions {
  readonly database: AccountDatabase;
  /** The gateway's pepper. The key that signs sessions is derived from it. */
  readonly pepper: string;
  /** The base URL of links in mails. */
  readonly url: string;
  /** Whether `url` is the only origin that pages may come from. */
  readonly urlIsPublic: boolean;
  readonly sendMail: SendMail;
  /** Checks who may sign in as the demo customer. Undefined if the demo has no account. */
  readonly demo: DemoAccess | undefined;
  readonly logger: Logger;
  /** Releases the devices of an account that is being deleted. */
  readonly releaseDevices: (userId: string) => Promise<void>;
  /** Default: a new one. */
  readonly queue?: PasswordQueue;
}

const deriveSecret = (pepper: string) =>
  Buffer.from(hkdfSync("sha256", pepper, "", "device-gateway accounts", 32)).toString("base64url");

/** Returns the server's origin according to the request's Host. Behind a proxy, PUBLIC_URL must name the origin. */
function ownOriginOf(request: Request | undefined): string[] {
  const host = request?.headers.get("host");
  return host ? [`http://${host}`] : [];
}

function toAuthOptions(
  { database, pepper, url, urlIsPublic, ...rest }: AuthOptions,
  rateLimits: RateLimits,
) {
  const { sendMail, demo, logger, releaseDevices, queue = createPasswordQueue() } = rest;
  // Sent in the background: if a failed mail changed the response, it would reveal whether the account exists.
  const send = (mail: Mail, request: Request | undefined) => {
    void sendMail(mail).catch((error: unknown) => {
      const requestId = request?.headers.get("x-request-id") ?? null;
      logger.error(
        { requestId, err: error },
        "A mail could not be sent. Check SMTP_URL and MAIL_FROM.",
      );
    });
  };
  const sendNotice: SendNotice = (notice, request) => {
    const { kind, token, user } = notice;
    const link = pageLink(url, "/undo", { kind, email: user.email, token });
    send(noticeMail(notice, link), request);
  };
  const onReset = (context: AuthContext, user: User, request?: Request) =>
    giveNotice(context, sendNotice, { kind: "password", user, detail: "" }, request);
  const sendProof = ({ user, token, next }: MailedProof, request?: Request) => {
    const carried = { next, email: user.email, token };
    send(verificationMail(user, pageLink(url, "/verify-email", carried)), request);
  };
  const changeOfEmail = emailChange({
    sendStep(step, request) {
      const { token, newEmail } = step;
      const link = pageLink(url, "/confirm-email", { step: step.step, newEmail, token });
      send(emailChangeMail(step, link), request);
    },
    sendTaken: (user, request) => send(addressTakenMail(user), request),
    onChanged: (context, user, detail, request) =>
      giveNotice(context, sendNotice, { kind: "email", user, detail }, request),
  });
  const options = {
    baseURL: url,
    appName: "Device Gateway",
    secret: deriveSecret(pepper),
    database: database.handle,
    telemetry: { enabled: false },
    trustedOrigins: urlIsPublic ? [] : (request?: Request) => ownOriginOf(request),
    emailAndPassword: {
      enabled: true,
      password: queue.password,
      minPasswordLength: 10,
      revokeSessionsOnPasswordReset: true,
    },
    emailVerification: {
      sendOnSignUp: true,
    },
    user: {
      deleteUser: {
        enabled: true,
        beforeDelete: ({ id }) => releaseDevices(id),
        // A claim that began before the account was deleted may have ended after the first call.
        async afterDelete(user, request) {
          await releaseDevices(user.id);
          if (user.emailVerified) send(accountDeletedMail(user), request);
        },
      },
    },
    session: sessionOptions,
    verification: { storeIdentifier: "hashed" },
    databaseHooks: { ...nameRule, ...sessionLife },
    // Per path and client address. Paths without a rule of their own allow 100 requests in 10 s.
    rateLimit: {
      enabled: true,
      customStorage: rateLimits,
      customRules: { "/delete-user": { window: 10, max: 3 } },
    },
    advanced: {
      // Set explicitly, because better-auth skips these checks if NODE_ENV is "test".
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    plugins: [
      takeTurns(),
      textRule(),
      passwordTurns(queue),
      bearer({ requireSignature: true }),
      ownToken(),
      addressProof(sendProof, onReset),
      mailRequests({
        sendProof,
        sendReset: ({ user, token }, request) =>
          send(passwordMail(user, pageLink(url, "/reset-password", { token })), request),
      }),
      passwordRule(),
      passwordChange(),
      changeOfEmail,
      undo(releaseDevices),
      // Before the second factor, which ends the session that this looks at.
      freshSignIn(),
      twoFactor({ trustDeviceMaxAge: 0, accountLockout: { enabled: false } }),
      oneTimeCodes(),
      factorAttempts(),
      // After the second factor, so that a correct password alone is not a sign-in.
      securityNotices(sendNotice),
      ...(demo ? [demoSignIn(demo)] : []),
    ],
    // Otherwise the router prints errors itself, without the log's redaction. It still answers the errors of the API.
    onAPIError: { throw: true },
    logger: {
      log(level, message, ...args: unknown[]) {
        // better-auth passes an error after the message, or instead of it.
        const err = [message, ...args].find((each) => each instanceof Error);
        logger[level]({ from: "accounts", ...(err !== undefined && { err }) }, message);
      },
    },
  } satisfies BetterAuthOptions;
  return { options, sendNotice };
}

/** Creates the missing parts of the schema. If nothing is missing, it needs no right to create tables. */
async function migrate(database: AccountDatabase, options: BetterAuthOptions): Promise<void> {
  const isComplete = async () => {
    const { toBeCreated, toBeAdded, toBeAddedIndexes } = await getMigrations(options);
    return [...toBeCreated, ...toBeAdded, ...toBeAddedIndexes].length === 0;
  };
  if (await isComplete()) return;
  // Reads the missing parts again, because another server may have created them.
  await database.createTables(async () => (await getMigrations(options)).runMigrations());
}

/** Creates better-auth over a database, and creates or completes the database's schema. */
export async function createAuth(options: AuthOptions) {
  const rateLimits = createRateLimits(options.database);
  const { options: authOptions, sendNotice } = toAuthOptions(options, rateLimits);
  await migrate(options.database, authOptions);
  await rateLimits.prepare();
  await disableAuthContextsWhenIdle();
  const auth = betterAuth(authOptions);
  const context = await auth.$context;
  return Object.assign(auth, {
    removeOldRequestCounts: rateLimits.removeOld,
    /** Tells an account's owner of a change of its devices. Does nothing if there is no such account. */
    async tellOfDevice(userId: string, detail: string): Promise<void> {
      const user = await context.internalAdapter.findUserById(userId);
      if (user?.emailVerified)
        await giveNotice(context, sendNotice, { kind: "device", user, detail });
    },
    /** Removes an account's second factor for an owner who has lost it, and tells the owner. Returns how many sessions it ended. */
    async resetFactor(userId: string): Promise<number> {
      const sessions = await removeFactor(
        { adapter: context.adapter as AuthContext["adapter"] },
        userId,
      );
      const user = await context.internalAdapter.findUserById(userId);
      const detail =
        "An operator of this server removed it, because somebody said that it was lost.";
      if (user) await giveNotice(context, sendNotice, { kind: "factor-off", user, detail });
      return sessions;
    },
  });
}
export type Auth = Awaited<ReturnType<typeof createAuth>>;
