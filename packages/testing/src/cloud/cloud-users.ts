import type { CustomerAuthenticator, User } from "@device-gateway/core";

export interface PlantedUser {
  /** Default: true. */
  readonly emailVerified?: boolean;
  /** Default: false. */
  readonly operator?: boolean;
}

/** Accounts whose tokens the cloud knows. */
export interface CloudUsers extends CustomerAuthenticator {
  /** Gives a user's bearer token. */
  signIn(id: string, user?: PlantedUser): string;
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
