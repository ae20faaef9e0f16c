import type {
  CustomerAuthenticator,
  SessionAuthenticator,
  SessionRequest,
  User,
} from "@device-gateway/core";
import type { Auth } from "./create-auth.js";

export interface Authenticators {
  readonly customers: CustomerAuthenticator;
  readonly sessions: SessionAuthenticator;
}

/**
 * All that the gateway learns of accounts: whose a bearer token is, and whose a session. Write
 * these two functions over your own users to use theirs.
 */
export function createAccountAuthenticators(
  auth: Pick<Auth, "api">,
  isOperator: (email: string) => boolean,
): Authenticators {
  const findUser = async (headers: Record<string, string>): Promise<User | null> => {
    const found = await auth.api.getSession({ headers: new Headers(headers) });
    if (found === null) return null;
    const { id, email, emailVerified } = found.user;
    // Anybody can sign up with an operator's address; only the operator can verify it.
    const roles = emailVerified && isOperator(email) ? ["operator"] : [];
    return { id, emailVerified, roles };
  };
  const findByToken = (authorization: string) => findUser({ authorization });
  return {
    customers: { authenticateToken: (token) => findByToken(`Bearer ${token}`) },
    sessions: {
      async authenticateRequest(request: SessionRequest) {
        const authorization = request.header("authorization");
        const cookie = request.header("cookie");
        if (authorization !== undefined) {
          const user = await findByToken(authorization);
          return user && { user, proof: "bearer" };
        }
        if (cookie === undefined) return null;
        const user = await findUser({ cookie });
        return user && { user, proof: "cookie" };
      },
    },
  };
}
