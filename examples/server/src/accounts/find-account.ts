import type { User } from "@device-gateway/core";
import type { Auth } from "./create-auth.js";
import { toTouched } from "./session/session-life.js";

export interface Account {
  /** The account as the gateway sees it. */
  readonly user: User;
  readonly email: string;
  readonly name: string;
  readonly secondFactor: boolean;
  /** Whether the account gets the operator's role as soon as it has a second factor. */
  readonly lacksFactor: boolean;
}

/** Returns the account whose session a cookie or an Authorization header carries, or null. */
export type FindAccount = (headers: Readonly<Record<string, string>>) => Promise<Account | null>;

export function createFindAccount(
  auth: Pick<Auth, "api" | "$context">,
  isOperator: (email: string) => boolean,
  needsFactor: (email: string) => boolean,
): FindAccount {
  const touch = async (session: Parameters<typeof toTouched>[0] & { readonly token: string }) => {
    const update = toTouched(session, Date.now());
    if (update === undefined) return;
    const { adapter } = await auth.$context;
    const where = [{ field: "token", value: session.token }];
    await adapter.updateMany({ model: "session", where, update });
  };
  return async (headers) => {
    const found = await auth.api.getSession({ headers: new Headers(headers) });
    if (found === null) return null;
    await touch(found.session);
    const { id, email, name, emailVerified, twoFactorEnabled } = found.user;
    const secondFactor = twoFactorEnabled === true;
    // Anyone can sign up with an operator's address, but only the operator can verify it.
    const operates = emailVerified && isOperator(email);
    const lacksFactor = operates && !secondFactor && needsFactor(email);
    const roles = operates && !lacksFactor ? ["operator"] : [];
    return { user: { id, emailVerified, roles }, email, name, secondFactor, lacksFactor };
  };
}
