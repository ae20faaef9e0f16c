import type { User } from "./user.js";

/** What a session may be told from. */
export interface SessionRequest {
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
}

export interface Session {
  readonly user: User;
  /** What proved it. A cookie is sent along by itself, so unsafe requests must be same-origin. */
  readonly proof: "cookie" | "bearer";
}

/** Tells who uses the dashboard. Yours to implement over your sessions. */
export interface SessionAuthenticator {
  /** The session of a request, or null without a good one. Rejects only when it can't tell now. */
  authenticateRequest(request: SessionRequest): Promise<Session | null>;
}
