import { type BetterAuthPlugin, getCurrentAdapter } from "better-auth";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { readSession } from "../session/read-session.js";

const refusal = {
  code: "INVALID_PASSWORD",
  message: "The password has just been changed. Sign in with the new one.",
};

interface StoredPassword {
  readonly id: string;
  readonly password: string;
}

/**
 * Creates a plugin with which `/change-password` replaces only the password that it checked. Otherwise, a change that
 * began with an old password would replace the password of a reset or an undo, and create a session after it.
 */
export function passwordChange() {
  /** What was stored when each request began, which is before better-auth reads what it checks. */
  const checked = new WeakMap<Request, StoredPassword>();
  const noteStored = createAuthMiddleware(async (call) => {
    const current = await readSession(call);
    if (call.request === undefined || current === null) return;
    const { internalAdapter } = call.context;
    const account = await internalAdapter.findCredentialAccount(current.user.id);
    if (!account?.password) return;
    checked.set(call.request, { id: account.id, password: account.password });
  });
  return {
    id: "password-change",
    init: () => ({
      options: {
        databaseHooks: {
          account: {
            update: {
              async before(_account, call) {
                if (!call?.request) return;
                const stored = checked.get(call.request);
                if (stored === undefined) return;
                // In the transaction of the change. A reset at the same time waits for it, or makes it fail.
                const adapter = await getCurrentAdapter(call.context.adapter);
                const { id, password } = stored;
                const unchanged = await adapter.updateMany({
                  model: "account",
                  where: [
                    { field: "id", value: id },
                    { field: "password", value: password },
                  ],
                  update: { password },
                });
                if (unchanged === 0) throw APIError.from("BAD_REQUEST", refusal);
              },
            },
          },
        },
      },
    }),
    hooks: {
      before: [{ matcher: ({ path }) => path === "/change-password", handler: noteStored }],
    },
  } satisfies BetterAuthPlugin;
}
