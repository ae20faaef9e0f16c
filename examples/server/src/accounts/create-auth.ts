import { hkdfSync } from "node:crypto";
import type { Logger } from "@device-gateway/core";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { bearer } from "better-auth/plugins/bearer";
import type { AccountDatabase } from "./account-database.js";
import { passwordMail, verificationMail } from "./account-mails.js";
import { addressProof } from "./address-proof.js";
import { clientAddressHeader } from "./client-address.js";
import type { DemoAccess } from "./demo-access.js";
import { demoSignIn } from "./demo-sign-in.js";
import { nameRule } from "./name-rule.js";
import { ownToken } from "./own-token.js";
import { pageLink } from "./page-link.js";
import type { Mail, SendMail } from "./send-mail.js";

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
}

const deriveSecret = (pepper: string) =>
  Buffer.from(hkdfSync("sha256", pepper, "", "device-gateway accounts", 32)).toString("base64url");

/** Returns the server's origin according to the request's Host. Behind a proxy, PUBLIC_URL must name the origin. */
function ownOriginOf(request: Request | undefined): string[] {
  const host = request?.headers.get("host");
  return host ? [`http://${host}`] : [];
}

function toAuthOptions({ database, pepper, url, urlIsPublic, ...rest }: AuthOptions) {
  const { sendMail, demo, logger } = rest;
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
  return {
    baseURL: url,
    secret: deriveSecret(pepper),
    database: database.handle,
    telemetry: { enabled: false },
    trustedOrigins: urlIsPublic ? [] : (request?: Request) => ownOriginOf(request),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }, request) =>
        send(passwordMail(user, pageLink(url, "/reset-password", { token })), request),
    },
    emailVerification: {
      sendOnSignUp: true,
    },
    verification: { storeIdentifier: "hashed" },
    databaseHooks: nameRule,
    // Per process and client address, in 10 s: 3 attempts to sign in or up, 100 other requests.
    rateLimit: { enabled: true },
    advanced: {
      // Set explicitly, because better-auth skips these checks if NODE_ENV is "test".
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    plugins: [
      bearer({ requireSignature: true }),
      ownToken(),
      addressProof(({ user, token, next }, request) => {
        const carried = { next, email: user.email, token };
        send(verificationMail(user, pageLink(url, "/verify-email", carried)), request);
      }),
      ...(demo ? [demoSignIn(demo)] : []),
    ],
    logger: {
      log: (level, message) => {
        logger[level]({ from: "accounts" }, message);
      },
    },
  } satisfies BetterAuthOptions;
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
  const authOptions = toAuthOptions(options);
  await migrate(options.database, authOptions);
  return betterAuth(authOptions);
}
export type Auth = Awaited<ReturnType<typeof createAuth>>;
