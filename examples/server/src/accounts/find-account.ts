import type { User } from "@device-gateway/core";
import type { Auth } from "./create-auth.js";

export interface Account {
  /** What the gateway knows of it. */
  readonly user: User;
  readonly email: string;
  readonly name: string;
}

/** Whose session a cookie or an Authorization header carries; null for nobody's. */
export type FindAccount = (headers: Readonly<Record<string, string>>) => Promise<Account | null>;

export function createFindAccount(
  auth: Pick<Auth, "api">,
  isOperator: (email: string) => boolean,
): FindAccount {
  return async (headers) => {
    const found = await auth.api.getSession({ headers: new Headers(headers) });
    if (found === null) return null;
    const { id, email, name, emailVerified } = found.user;
    // Anybody can sign up with an operator's address; only the operator can verify it.
    const roles = emailVerified && isOperator(email) ? ["operator"] : [];
    return { user: { id, emailVerified, roles }, email, name };
  };
}
