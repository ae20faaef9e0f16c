import { hkdfSync } from "node:crypto";
import type { Logger } from "@device-gateway/core";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { bearer } from "better-auth/plugins/bearer";
import type { AccountDatabase } from "./account-database.js";
import { passwordMail, verificationMail } from "./account-mails.js";
import { clientAddressHeader } from "./client-address.js";
import { demoSignIn } from "./demo-sign-in.js";
import { ownToken } from "./own-token.js";
import type { Mail, SendMail } from "./send-mail.js";

export interface AuthOptions {
  readonly database: AccountDatabase["handle"];
  /** The gateway's: the key that signs sessions is derived from it. */
  readonly pepper: string;
  /** Where links in mails lead. */
  readonly url: string;
  /** Whether `url` is the only origin that pages may come from. */
  readonly urlIsPublic: boolean;
  readonly sendMail: SendMail;
  /** Whether anybody at this machine may sign in as the demo's customer. */
  readonly demo: boolean;
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
    database,
    telemetry: { enabled: false },
    trustedOrigins: urlIsPublic ? [] : (request?: Request) => ownOriginOf(request),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, url: link }, request) =>
        send(passwordMail(user, link), request),
    },
    emailVerification: {
      sendOnSignUp: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: async ({ user, url: link }, request) =>
        send(verificationMail(user, link), request),
    },
    verification: { storeIdentifier: "hashed" },
    // Per process and address: 3 tries in 10 s to sign in or up, 100 calls of the rest.
    rateLimit: { enabled: true },
    advanced: {
      // Said, since better-auth does without these checks where NODE_ENV is "test".
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    plugins: [bearer({ requireSignature: true }), ownToken(), ...(demo ? [demoSignIn()] : [])],
    logger: {
      log: (level, message) => {
        logger[level]({ from: "accounts" }, message);
      },
    },
  } satisfies BetterAuthOptions;
}

/** How often another server that starts at the same time may have been faster with a table. */
const migrationTries = 20;

/** Makes what is missing of the schema; what another process makes meanwhile is looked up again. */
async function migrate(options: BetterAuthOptions): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { runMigrations } = await getMigrations(options);
    try {
      await runMigrations();
      return;
    } catch (error) {
      if (tries === migrationTries) throw error;
    }
  }
}

/** Sets better-auth up over a database, which gets its schema or what is new of it. */
export async function createAuth(options: AuthOptions) {
  const authOptions = toAuthOptions(options);
  await migrate(authOptions);
  return betterAuth(authOptions);
}
export type Auth = Awaited<ReturnType<typeof createAuth>>;
