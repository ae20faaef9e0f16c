import { bearerTokenOf } from "./bearer-token.js";
import type { CustomerAuthenticator } from "./customer-authenticator.js";
import type { SessionAuthenticator } from "./session-authenticator.js";

/** Authenticates dashboard requests with the bearer tokens of customers. */
export function toBearerSessions(customers: CustomerAuthenticator): SessionAuthenticator {
  return {
    async authenticateRequest(request) {
      const token = bearerTokenOf(request.header("authorization"));
      const user = token === undefined ? null : await customers.authenticateToken(token);
      return user === null ? null : { user, proof: "bearer" };
    },
  };
}
