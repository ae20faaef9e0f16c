import { AsyncLocalStorage } from "node:async_hooks";
import { APIError } from "better-auth/api";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { BusyError, createSiteTurns } from "./site-turns.js";

/** Hashes passwords one at a time. The clients' sites take turns. */
export interface PasswordQueue {
  /** All hashes of `work` count as the site's. */
  within<T>(site: string, work: () => T): T;
  /** Whether the site has as many hashes waiting as it may. */
  isFull(site: string): boolean;
  /**
   * The functions of better-auth that hash a password and compare one with a hash.
   * @throws {APIError} 429 if too many hashes wait.
   */
  readonly password: {
    hash(password: string): Promise<string>;
    verify(data: { hash: string; password: string }): Promise<boolean>;
  };
}

export const tooManyPasswords = {
  status: 429,
  code: "TOO_MANY_PASSWORDS",
  detail: "Too many passwords of your network are being checked. Try again in a few seconds.",
} as const;
export const retryAfterBusy = { "retry-after": "5" } as const;

function refuse(error: unknown): never {
  if (!(error instanceof BusyError)) throw error;
  const { code, detail: message } = tooManyPasswords;
  throw new APIError("TOO_MANY_REQUESTS", { code, message }, retryAfterBusy);
}

/**
 * Creates the queue of a process. better-auth limits attempts per address, but an attacker may have thousands of
 * addresses. Without the queue, their hashes would take the cores and libuv's threads from everybody else.
 */
export function createPasswordQueue(): PasswordQueue {
  const sites = new AsyncLocalStorage<string>();
  const turns = createSiteTurns();
  const inTurn = <T>(work: () => Promise<T>) =>
    turns.take(sites.getStore() ?? "unknown", work).catch(refuse);
  return {
    isFull: turns.isFull,
    within: (site, work) => sites.run(site, work),
    password: {
      hash: (password) => inTurn(() => hashPassword(password)),
      verify: (data) => inTurn(() => verifyPassword(data)),
    },
  };
}
