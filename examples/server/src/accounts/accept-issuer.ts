import { bearerTokenOf, type CustomerAuthenticator } from "@device-gateway/core";
import type { Authenticators } from "./account-authenticators.js";

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
        const token = bearerTokenOf(request.header("authorization"));
        const user = token === undefined ? null : await issuer.authenticateToken(token);
        return user && { user, proof: "bearer" };
      },
    },
  };
}
