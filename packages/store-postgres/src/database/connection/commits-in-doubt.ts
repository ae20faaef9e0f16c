import { StoreUnavailableError } from "@device-gateway/core/store";
import type { Pool, PoolClient } from "pg";
import { type Session, statement } from "../statement.js";

/** Interval between two checks of the connections, in milliseconds. */
const checkEveryMs = 500;

const readActive = statement<{ pids: readonly number[] }, { pid: number }>(
  "SELECT pid FROM pg_stat_activity WHERE pid = ANY (@pids::int[]) AND state = 'active'",
);

/**
 * Counts the connections that this process closed during a write and that are still open on the server. While commits
 * wait for a standby that does not answer, the server notices neither a closed socket nor a timeout, and without this
 * count each call would open another connection. Such a commit must not be cancelled: that would make unreplicated data visible.
 */
export interface CommitsInDoubt {
  add(client: PoolClient): void;
  /** Runs a write. Rejects while only one connection of the pool is left, because that one is for reads. */
  runUnlessFull<Outcome>(write: () => Promise<Outcome>): Promise<Outcome>;
}

/** Creates the count of a pool. `resize`: whether the connections in doubt may count towards the size of the pool. */
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
    // These connections count towards the pool's maximum. At least one remains for reads.
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
      // The check runs in the background, so that no write waits for it.
      if (pids.size > 0 && performance.now() - checkedAt >= checkEveryMs) check().catch(() => {});
      if (pids.size < limit) return write();
      throw new StoreUnavailableError(
        "The database does not finish commits. If it has a synchronous standby, check that the standby answers.",
      );
    },
  };
}
