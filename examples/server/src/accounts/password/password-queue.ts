import { AsyncLocalStorage } from "node:async_hooks";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { createSiteTurns, type SiteTurns } from "./site-turns.js";

/** Hashes passwords one at a time, for requests that take turns by their clients' sites. */
export interface PasswordQueue extends SiteTurns {
  /** The functions of better-auth that hash a password and compare one with a hash. */
  readonly password: {
    hash(password: string): Promise<string>;
    verify(data: { hash: string; password: string }): Promise<boolean>;
  };
}

/**
 * Creates the queue of a process. better-auth limits attempts per address, but an attacker may have thousands of
 * addresses. Without the queue, their hashes would take the cores and libuv's threads from everybody else. A request
 * waits for its turn before it begins: a sign-up hashes within a transaction, and must not hold a connection of the
 * database while its site rests.
 */
export function createPasswordQueue(): PasswordQueue {
  const turns = createSiteTurns();
  const hasTurn = new AsyncLocalStorage<true>();
  const take: SiteTurns["take"] = (site, work) => turns.take(site, () => hasTurn.run(true, work));
  let last: Promise<unknown> = Promise.resolve();
  const oneAtATime = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  // The server's own calls have no turn yet.
  const inTurn = <T>(work: () => Promise<T>) =>
    hasTurn.getStore() ? oneAtATime(work) : take("server", () => oneAtATime(work));
  return {
    take,
    password: {
      hash: (password) => inTurn(() => hashPassword(password)),
      verify: (data) => inTurn(() => verifyPassword(data)),
    },
  };
}
