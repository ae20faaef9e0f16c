import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, sessionMiddleware } from "better-auth/api";

/**
 * Adds `POST /api/auth/token`, which returns the caller's session as a bearer token for the routes that accept no cookie
 * (§3). Sign-out ends it.
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
