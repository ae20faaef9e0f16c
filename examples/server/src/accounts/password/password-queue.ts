import { AsyncLocalStorage } from "node:async_hooks";
import { APIError } from "better-auth/api";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { disableWhenIdle } from "../disable-when-idle.js";
import { BusyError, createSiteTurns } from "./site-turns.js";

/** Hashes passwords one at a time. The clients' sites take turns, and rest after their hashes. */
export interface PasswordQueue {
  /** Runs an account request of a site. All its hashes count as the site's. Ends the turn that it began. */
  within<T>(site: string, request: () => Promise<T>): Promise<T>;
  /**
   * Waits for the turn of the running request. Call it before work that hashes passwords, and not in a transaction.
   * @throws {APIError} 429 if too many requests wait.
   */
  begin(): Promise<void>;
  /**
   * The functions of better-auth that hash a password and compare one with a hash. Without a turn of the request, each
   * takes one of its own.
   * @throws {APIError} 429 if too many requests wait.
   */
  readonly password: {
    hash(password: string): Promise<string>;
    verify(data: { hash: string; password: string }): Promise<boolean>;
  };
}

interface RunningRequest {
  readonly site: string;
  /** Ends the turn. Undefined while there is none. */
  end?: (workMs: number) => void;
  hashMs: number;
}

function refuse(error: unknown): never {
  if (!(error instanceof BusyError)) throw error;
  const code = "TOO_MANY_PASSWORDS";
  const message =
    "Too many passwords of your network are being checked. Try again in a few seconds.";
  throw new APIError("TOO_MANY_REQUESTS", { code, message }, { "retry-after": "5" });
}

/**
 * Creates the queue of a process. better-auth limits attempts per address, but an attacker may have thousands of
 * addresses. Without the queue, their hashes would take the cores and libuv's threads from everybody else.
 */
export function createPasswordQueue(): PasswordQueue {
  const turns = createSiteTurns();
  const requests = disableWhenIdle(new AsyncLocalStorage<RunningRequest>());
  const enter = (site: string) => turns.enter(site).catch(refuse);
  let last: Promise<unknown> = Promise.resolve();

  /** Runs one hash at a time. Returns its result and how long it took, in milliseconds. */
  function hashNext<T>(hash: () => Promise<T>): Promise<{ result: T; tookMs: number }> {
    const next = last.then(async () => {
      const startedAt = performance.now();
      return { result: await hash(), tookMs: performance.now() - startedAt };
    });
    last = next.catch(() => {});
    return next;
  }

  async function hashInTurn<T>(hash: () => Promise<T>): Promise<T> {
    const request = requests.getStore();
    if (request?.end !== undefined) {
      const { result, tookMs } = await hashNext(hash);
      request.hashMs += tookMs;
      return result;
    }
    const end = await enter(request?.site ?? "server");
    let workMs = 0;
    try {
      const { result, tookMs } = await hashNext(hash);
      workMs = tookMs;
      return result;
    } finally {
      end(workMs);
    }
  }

  return {
    within(site, work) {
      const request: RunningRequest = { site, hashMs: 0 };
      return requests.run(request, async () => {
        try {
          return await work();
        } finally {
          request.end?.(request.hashMs);
        }
      });
    },
    async begin() {
      const request = requests.getStore();
      if (request === undefined) return;
      request.end ??= await enter(request.site);
    },
    password: {
      hash: (password) => hashInTurn(() => hashPassword(password)),
      verify: (data) => hashInTurn(() => verifyPassword(data)),
    },
  };
}
