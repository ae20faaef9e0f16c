import type { User } from "./user.js";

/** Authenticates the bearer tokens of customers. Implement it, or use `createJwtAuthenticator`. */
export interface CustomerAuthenticator {
  /**
   * Returns the user of a token, or null if the token is invalid. Rejects only if the token cannot be checked at the
   * moment, which becomes a 503.
   */
  authenticateToken(token: string): Promise<User | null>;
}
