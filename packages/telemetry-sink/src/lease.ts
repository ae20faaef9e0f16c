import { randomUUID } from "node:crypto";
import type { SinkStore } from "./sink-options.js";

/** Another process has taken the lease. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** The sink's turn to write, which ends by itself if the process dies. */
export interface Lease {
  /** Takes the lease, or renews it. Returns the stored cursor, or null if another process holds the lease. */
  take(): Promise<string | null>;
  /**
   * Makes sure that the lease lasts as long as a request may take.
   * @throws {LeaseLostError} if another process has the lease, or had it and moved the cursor.
   */
  keep(cursor: string): Promise<void>;
  /**
   * Stores the cursor.
   * @throws {LeaseLostError} if another process has the lease.
   */
  advance(cursor: string): Promise<void>;
  release(): Promise<void>;
}

/** Creates the lease. It lasts twice as long as a request, so that the next process never writes at the same time. */
export function createLease(
  { followers }: SinkStore,
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number },
): Lease {
  const holder = randomUUID();
  let until = 0;

  async function take(): Promise<string | null> {
    const at = Date.now();
    const end = at + 2 * timeoutMs;
    const taken = await followers.take({ name, holder, at, until: end });
    until = taken === null ? 0 : end;
    return taken?.cursor ?? null;
  }

  return {
    take,
    async keep(cursor) {
      const left = until - Date.now();
      // If the clock was set back, more time seems to be left than a lease lasts. Another process may have taken it.
      if (left >= timeoutMs && left <= 2 * timeoutMs) return;
      if ((await take()) !== cursor) throw new LeaseLostError("Another process took the lease");
    },
    async advance(cursor) {
      const isHeld = await followers.advance({ name, holder, cursor });
      if (!isHeld) throw new LeaseLostError("Another process took the lease");
    },
    release: () => followers.release({ name, holder }),
  };
}
