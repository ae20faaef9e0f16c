import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, sessionMiddleware } from "better-auth/api";

/**
 * Adds `POST /api/auth/token`: the caller's session as a bearer token, for the two routes that
 * take nothing else (contract §3). It ends when they sign out.
 */
export const ownToken = () =>
  ({
    id: "own-token",
    endpoints: {
      readOwnToken: createAuthEndpoint(
        "/token",
        { method: "POST", use: [sessionMiddleware] },
        async (call) => {
          const { name } = call.context.authCookies.sessionToken;
          return call.json({ token: call.getCookie(name) });
        },
      ),
    },
  }) satisfies BetterAuthPlugin;
