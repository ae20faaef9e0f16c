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
  /** The gateway's: the key that signs sessions is derived from it. */
  readonly pepper: string;
  /** Where links in mails lead. */
  readonly url: string;
  /** Whether `url` is the only origin that pages may come from. */
  readonly urlIsPublic: boolean;
  readonly sendMail: SendMail;
  /** Who may sign in as the demo's customer; undefined: there is none. */
  readonly demo: DemoAccess | undefined;
  readonly logger: Logger;
}

const deriveSecret = (pepper: string) =>
  Buffer.from(hkdfSync("sha256", pepper, "", "device-gateway accounts", 32)).toString("base64url");

/** The origin of the server as this request names it; one that a proxy hides must be configured. */
function ownOriginOf(request: Request | undefined): string[] {
  const host = request?.headers.get("host");
  return host ? [`http://${host}`] : [];
}

function toAuthOptions({ database, pepper, url, urlIsPublic, ...rest }: AuthOptions) {
  const { sendMail, demo, logger } = rest;
  // A mail that fails must not tell by the answer whether an account exists.
  const send = (mail: Mail, request: Request | undefined) => {
    void sendMail(mail).catch((error: unknown) => {
      const requestId = request?.headers.get("x-request-id") ?? null;
      logger.error(
        { requestId, err: error },
        "A mail could not be sent. Check SMTP_URL and MAIL_FROM",
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
    // Per process and address: 3 tries in 10 s to sign in or up, 100 calls of the rest.
    rateLimit: { enabled: true },
    advanced: {
      // Said, since better-auth does without these checks where NODE_ENV is "test".
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

/** Makes what is missing of the schema: most starts find nothing to do, and need no right to. */
async function migrate(database: AccountDatabase, options: BetterAuthOptions): Promise<void> {
  const isComplete = async () => {
    const { toBeCreated, toBeAdded, toBeAddedIndexes } = await getMigrations(options);
    return [...toBeCreated, ...toBeAdded, ...toBeAddedIndexes].length === 0;
  };
  if (await isComplete()) return;
  // Asked again: another server may have been faster.
  await database.makeTables(async () => (await getMigrations(options)).runMigrations());
}

/** Sets better-auth up over a database, which gets its schema or what is new of it. */
export async function createAuth(options: AuthOptions) {
  const authOptions = toAuthOptions(options);
  await migrate(options.database, authOptions);
  return betterAuth(authOptions);
}
export type Auth = Awaited<ReturnType<typeof createAuth>>;
