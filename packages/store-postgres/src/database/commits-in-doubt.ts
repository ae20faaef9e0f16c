import { StoreUnavailableError } from "@device-gateway/core/store";
import type { Pool, PoolClient } from "pg";
import { type Session, statement } from "./statement.js";

/** How long an answer about the connections is used, in milliseconds. */
const checkEveryMs = 500;

const readActive = statement<{ pids: readonly number[] }, { pid: number }>(
  "SELECT pid FROM pg_stat_activity WHERE pid = ANY (@pids::int[]) AND state = 'active'",
);

/**
 * Counts the connections that this process closed during a write and that the server still has. Without it, each call
 * would open another connection while commits wait for a standby that does not answer: then the server notices neither
 * a closed socket nor a timeout. Such a commit must not be cancelled, because that would show unreplicated data.
 */
export interface CommitsInDoubt {
  add(client: PoolClient): void;
  /** Runs a write. Rejects while the server has as many of these connections as the pool may have, less one for reads. */
  runUnlessFull<Outcome>(write: () => Promise<Outcome>): Promise<Outcome>;
}

export function createCommitsInDoubt(
  { options }: Pool,
  resize: boolean,
  read: <Outcome>(work: (session: Session) => Promise<Outcome>) => Promise<Outcome>,
): CommitsInDoubt {
  const { max } = options;
  const limit = Math.max(1, max - 1);
  let pids = new Set<number>();
  let checkedAt = Number.NEGATIVE_INFINITY;

  const update = (changed: Set<number>) => {
    pids = changed;
    // They count as connections of the pool. One remains for reads.
    if (resize) options.max = Math.max(1, max - pids.size);
  };
  const check = async () => {
    checkedAt = performance.now();
    const asked = new Set(pids);
    const rows = await read((session) => readActive(session, { pids: [...asked] }));
    const active = new Set(rows.map(({ pid }) => pid));
    update(new Set([...pids].filter((pid) => active.has(pid) || !asked.has(pid))));
  };

  return {
    add(client) {
      const { processID } = client as PoolClient & { readonly processID: number | null };
      if (processID !== null) update(new Set(pids).add(processID));
    },
    async runUnlessFull(write) {
      // Asks in the background, so that no write waits for the answer.
      if (pids.size > 0 && performance.now() - checkedAt >= checkEveryMs) check().catch(() => {});
      if (pids.size < limit) return write();
      throw new StoreUnavailableError(
        "The database does not finish commits. If it has a synchronous standby, check that the standby answers.",
      );
    },
  };
}
