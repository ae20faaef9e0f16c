import type { BetterAuthPlugin, User } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { z } from "zod";
import { readSession } from "../session/read-session.js";
import type { MailedProof } from "./address-proof.js";
import { createLinkToken } from "./mailed-token.js";

interface MailRequestOptions {
  readonly sendProof: (proof: MailedProof, request?: Request) => void;
  readonly sendReset: (
    mail: { readonly user: User; readonly token: string },
    request?: Request,
  ) => void;
}

const refusals = {
  mismatch: {
    code: "EMAIL_MISMATCH",
    message: "You are signed in with a different address. Sign out first.",
  },
  verified: {
    code: "EMAIL_ALREADY_VERIFIED",
    message: "This address is already verified.",
  },
} as const;

/** The owner of a link that nobody gets. No account has this id. */
const nobody = "nobody";

const requestPasswordReset = ({ sendReset }: MailRequestOptions) =>
  createAuthEndpoint(
    "/request-password-reset",
    { method: "POST", body: z.object({ email: z.email().max(254) }) },
    async (call) => {
      const { context, body, request } = call;
      const user = (await context.internalAdapter.findUserByEmail(body.email))?.user;
      const token = await createLinkToken(context, "reset-password", user?.id ?? nobody);
      if (user) sendReset({ user, token }, request);
      return call.json({ status: true });
    },
  );

const sendVerificationEmail = ({ sendProof }: MailRequestOptions) =>
  createAuthEndpoint(
    "/send-verification-email",
    {
      method: "POST",
      body: z.object({ email: z.email().max(254), callbackURL: z.string().optional() }),
    },
    async (call) => {
      const { context, body, request } = call;
      const current = await readSession(call);
      if (current && current.user.email !== body.email.toLowerCase())
        throw APIError.from("BAD_REQUEST", refusals.mismatch);
      if (current?.user.emailVerified) throw APIError.from("BAD_REQUEST", refusals.verified);
      const found = (await context.internalAdapter.findUserByEmail(body.email))?.user;
      const user = found?.emailVerified ? undefined : found;
      const token = await createLinkToken(context, "verify-email", user?.id ?? nobody);
      if (user) sendProof({ user, token, next: body.callbackURL ?? "/" }, request);
      return call.json({ status: true });
    },
  );

/**
 * Creates a plugin that replaces better-auth's two endpoints that mail a link to an address that anyone may enter. These
 * look up and store the same for each address, so that their time does not reveal which addresses have accounts.
 */
export const mailRequests = (options: MailRequestOptions) =>
  ({
    id: "mail-requests",
    endpoints: {
      requestPasswordReset: requestPasswordReset(options),
      sendVerificationEmail: sendVerificationEmail(options),
    },
  }) satisfies BetterAuthPlugin;
