import type { CustomerAuthenticator } from "@device-gateway/core";
import type { Authenticators } from "./account-authenticators.js";

const bearer = /^Bearer +(\S+)$/i;

/** Accepts an issuer's tokens in addition to the accounts' own sessions and tokens. */
export function acceptIssuer(
  accounts: Authenticators,
  issuer: CustomerAuthenticator,
): Authenticators {
  return {
    customers: {
      authenticateToken: async (token) =>
        (await accounts.customers.authenticateToken(token)) ?? issuer.authenticateToken(token),
    },
    sessions: {
      async authenticateRequest(request) {
        const session = await accounts.sessions.authenticateRequest(request);
        if (session !== null) return session;
        const token = bearer.exec(request.header("authorization") ?? "")?.[1];
        const user = token === undefined ? null : await issuer.authenticateToken(token);
        return user && { user, proof: "bearer" };
      },
    },
  };
}
