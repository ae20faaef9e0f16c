import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";

/** The demo's customer, who is an operator too. Nobody can prove to own an address of `.invalid`. */
export const demoEmail = "demo@device-gateway.invalid";

/**
 * Adds `POST /api/auth/demo`: signs in as the demo's customer, without a password. Mount it only
 * where whoever calls is at this machine: see `isLocalRequest`.
 */
export const demoSignIn = () =>
  ({
    id: "demo-sign-in",
    endpoints: {
      signInToDemo: createAuthEndpoint("/demo", { method: "POST" }, async (call) => {
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
      }),
    },
  }) satisfies BetterAuthPlugin;
