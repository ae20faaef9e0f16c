import type { HookEndpointContext } from "better-auth";
import { dispatchAuthEndpoint, getSession } from "better-auth/api";

/** The parts of a session that the rules of the accounts use. */
export interface CurrentSession {
  readonly session: { readonly token: string; readonly createdAt: Date };
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly emailVerified: boolean;
    readonly twoFactorEnabled?: boolean | null;
  };
}

/** Returns the session that a request carries, or null. Changes nothing. */
export async function readSession(
  call: Pick<HookEndpointContext, "context" | "headers">,
): Promise<CurrentSession | null> {
  if (call.headers === undefined) return null;
  // Dispatched through the hooks, so that a bearer token counts like a cookie.
  return (await dispatchAuthEndpoint(getSession(), {
    context: call.context,
    headers: call.headers,
    method: "GET",
    asResponse: false,
    query: { disableRefresh: true },
  })) as CurrentSession | null;
}
