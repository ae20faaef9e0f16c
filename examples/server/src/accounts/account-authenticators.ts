import type { CustomerAuthenticator, SessionAuthenticator, User } from "@device-gateway/core";
import type { FindAccount } from "./find-account.js";

export interface Authenticators {
  readonly customers: CustomerAuthenticator;
  readonly sessions: SessionAuthenticator;
}

/**
 * All that the gateway learns of accounts: whose a bearer token is, and whose a session. Write
 * these two functions over your own users to use theirs.
 */
export function createAccountAuthenticators(findAccount: FindAccount): Authenticators {
  const findUser = async (headers: Record<string, string>): Promise<User | null> =>
    (await findAccount(headers))?.user ?? null;
  return {
    customers: {
      authenticateToken: (token) => findUser({ authorization: `Bearer ${token}` }),
    },
    sessions: {
      async authenticateRequest(request) {
        const authorization = request.header("authorization");
        const cookie = request.header("cookie");
        if (authorization !== undefined) {
          const user = await findUser({ authorization });
          return user && { user, proof: "bearer" };
        }
        const user = cookie === undefined ? null : await findUser({ cookie });
        return user && { user, proof: "cookie" };
      },
    },
  };
}
