import type { User } from "./user.js";

/** Tells whose bearer token it is. Yours to implement, or `createJwtAuthenticator`. */
export interface CustomerAuthenticator {
  /**
   * The user of a token, or null for one that is not good. Rejects only when it can't tell now,
   * which is answered as 503.
   */
  authenticateToken(token: string): Promise<User | null>;
}
