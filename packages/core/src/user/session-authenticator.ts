import type { User } from "./user.js";

/** The part of a request that identifies a session. */
export interface SessionRequest {
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
}

export interface Session {
  readonly user: User;
  /** How the user was authenticated. Browsers send cookies by themselves, so unsafe requests must be same-origin. */
  readonly proof: "cookie" | "bearer";
}

/** Authenticates requests to the dashboard. Implement it with the sessions of your program. */
export interface SessionAuthenticator {
  /** Returns the session of a request, or null if it has no valid one. Rejects only if the session cannot be checked. */
  authenticateRequest(request: SessionRequest): Promise<Session | null>;
}
