import type { CustomerAuthenticator, User } from "@device-gateway/core";

export interface CloudUserOptions {
  /** Default: true. */
  readonly emailVerified?: boolean;
  /** Default: false. */
  readonly operator?: boolean;
}

/** The accounts of a test cloud. */
export interface CloudUsers extends CustomerAuthenticator {
  /** Returns a bearer token for a user. */
  signIn(id: string, user?: CloudUserOptions): string;
}

export function createCloudUsers(): CloudUsers {
  const byToken = new Map<string, User>();
  return {
    authenticateToken: async (token) => byToken.get(token) ?? null,
    signIn(id, { emailVerified = true, operator = false } = {}) {
      const token = `token-of-${encodeURIComponent(id)}-${byToken.size + 1}`;
      byToken.set(token, { id, emailVerified, roles: operator ? ["operator"] : [] });
      return token;
    },
  };
}
