import type { CustomerAuthenticator, SessionAuthenticator, User } from "@device-gateway/core";
import type { FindAccount } from "./find-account.js";

export interface Authenticators {
  readonly customers: CustomerAuthenticator;
  readonly sessions: SessionAuthenticator;
}

/** A session's token is its id and a signature with one dot between them. A JSON Web Token has two dots. */
const sessionToken = /^Bearer +[^.\s]+\.[^.\s]+$/i;
/** The end of the name of the session's cookie, whatever its prefix is. */
const sessionCookie = "session_token=";

/**
 * Creates the two authenticators through which the gateway knows accounts: one returns the user of a bearer token, the
 * other the user of a session. To use your own users, implement these two.
 */
export function createAccountAuthenticators(findAccount: FindAccount): Authenticators {
  const findUser = async (headers: Record<string, string>): Promise<User | null> =>
    (await findAccount(headers))?.user ?? null;
  // The check of a session takes longer than most requests, so it is left out for texts that cannot be one.
  const findByToken = async (authorization: string) =>
    sessionToken.test(authorization) ? findUser({ authorization }) : null;
  const findByCookie = async (cookie: string) =>
    cookie.includes(sessionCookie) ? findUser({ cookie }) : null;
  return {
    customers: {
      authenticateToken: (token) => findByToken(`Bearer ${token}`),
    },
    sessions: {
      async authenticateRequest(request) {
        const authorization = request.header("authorization");
        const cookie = request.header("cookie");
        if (authorization !== undefined) {
          const user = await findByToken(authorization);
          return user && { user, proof: "bearer" };
        }
        const user = cookie === undefined ? null : await findByCookie(cookie);
        return user && { user, proof: "cookie" };
      },
    },
  };
}
