import type { User } from "@device-gateway/core";
import type { Auth } from "./create-auth.js";

export interface Account {
  /** The account as the gateway sees it. */
  readonly user: User;
  readonly email: string;
  readonly name: string;
}

/** Returns the account whose session a cookie or an Authorization header carries, or null. */
export type FindAccount = (headers: Readonly<Record<string, string>>) => Promise<Account | null>;

export function createFindAccount(
  auth: Pick<Auth, "api">,
  isOperator: (email: string) => boolean,
): FindAccount {
  return async (headers) => {
    const found = await auth.api.getSession({ headers: new Headers(headers) });
    if (found === null) return null;
    const { id, email, name, emailVerified } = found.user;
    // Anyone can sign up with an operator's address, but only the operator can verify it.
    const roles = emailVerified && isOperator(email) ? ["operator"] : [];
    return { user: { id, emailVerified, roles }, email, name };
  };
}
