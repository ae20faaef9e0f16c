import { randomBytes } from "node:crypto";
import type { SessionRequest, User } from "@device-gateway/core";

/** The app's own accounts and sessions: a stand-in for whatever is there already. */
export class Accounts {
  readonly #sessions = new Map<string, User>();

  /** Gives the id of a new session. */
  open(user: User): string {
    const id = randomBytes(32).toString("base64url");
    this.#sessions.set(id, user);
    return id;
  }

  userOf(sessionId: string | undefined): User | null {
    return this.#sessions.get(sessionId ?? "") ?? null;
  }
}

/** The session's id in the app's cookie. */
export const sessionIdOf = (request: SessionRequest): string | undefined =>
  /(?:^|;\s*)sid=([\w-]+)/.exec(request.header("cookie") ?? "")?.[1];
