import type { CustomerAuthenticator, SessionAuthenticator, User } from "@device-gateway/core";
import type { FindAccount } from "./find-account.js";

export interface Authenticators {
  readonly customers: CustomerAuthenticator;
  readonly sessions: SessionAuthenticator;
}

/**
 * Creates the two authenticators through which the gateway knows accounts: one returns the user of a bearer token, the
 * other the user of a session. To use your own users, implement these two.
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
