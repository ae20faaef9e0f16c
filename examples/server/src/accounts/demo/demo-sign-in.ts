import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import { isLocalCall } from "../../http/is-local-request.js";
import { clientAddressHeader } from "../client-address.js";
import type { DemoAccess } from "./demo-access.js";

/** The address of the demo customer, who is also an operator. Nobody else can verify an address that ends in `.invalid`. */
export const demoEmail = "demo@device-gateway.invalid";

const staleLink = {
  code: "DEMO_LINK_REQUIRED",
  message: "Open the link that the server printed at its start. It ends with #demo=….",
};

/**
 * Adds `POST /api/auth/demo`, which signs in as the demo customer with the token of this start. The endpoint itself
 * makes the checks, so that every path to it passes them: 404 unless the caller is on this machine, 403 without the
 * token. It reads the peer's address from `clientAddressHeader`, which holds it as long as no proxy is trusted.
 */
export const demoSignIn = (access: DemoAccess) =>
  ({
    id: "demo-sign-in",
    endpoints: {
      signInToDemo: createAuthEndpoint(
        "/demo",
        { method: "POST", body: z.object({ token: z.unknown().optional() }).optional() },
        async (call) => {
          const headers = call.request?.headers ?? new Headers();
          if (!isLocalCall(headers, clientAddressHeader)) throw new APIError("NOT_FOUND");
          if (!access.admits(call.body?.token)) throw new APIError("FORBIDDEN", staleLink);
          const { internalAdapter } = call.context;
          const found = await internalAdapter.findUserByEmail(demoEmail);
          const user =
            found?.user ??
            (await internalAdapter.createUser(
              { email: demoEmail, name: "Demo", emailVerified: true },
              { method: "email-password" },
            ));
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(call, { session, user });
          return call.json({ ok: true });
        },
      ),
    },
  }) satisfies BetterAuthPlugin;
