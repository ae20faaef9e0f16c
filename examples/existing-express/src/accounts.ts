import { randomBytes } from "node:crypto";
import type { SessionRequest, User } from "@device-gateway/core";

/** The app's own accounts and sessions. Your app has its own in their place. */
export class Accounts {
  readonly #sessions = new Map<string, User>();

  /** Opens a session and returns its id. */
  open(user: User): string {
    const id = randomBytes(32).toString("base64url");
    this.#sessions.set(id, user);
    return id;
  }

  userOf(sessionId: string | undefined): User | null {
    return this.#sessions.get(sessionId ?? "") ?? null;
  }
}

/** Returns the session id in the app's cookie. */
export const sessionIdOf = (request: SessionRequest): string | undefined =>
  /(?:^|;\s*)sid=([\w-]+)/.exec(request.header("cookie") ?? "")?.[1];
