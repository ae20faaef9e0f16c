import { lineage } from "../database/changes/lineage.js";
import type { Connection } from "../database/connection/connection.js";
import { statement } from "../database/statement.js";

/** A mark in the database, as the primary wrote it or a replica shows it. */
export interface ReplicaMark {
  readonly mark: number;
  readonly lineage: string;
}

/** A mark that this process wrote, and when it began to (`performance.now()`). */
export interface OwnMark extends ReplicaMark {
  readonly at: number;
}

/** Writes marks to the primary, so that a replica that shows one proves what it has. */
export interface ReplicaMarks {
  /**
   * Returns the newest mark of this process that a replica has if it shows `shown`. Undefined if the replica is further
   * behind than the bound, or does not follow this primary.
   */
  newestIn(shown: ReplicaMark): OwnMark | undefined;
  stop(): void;
}

/** Interval between two marks in milliseconds, unless the bound is short. */
const longestIntervalMs = 1_000;

const advance = statement<object, ReplicaMark>(
  `UPDATE device_gateway.replica_mark SET mark = mark + 1, lineage = ${lineage}
   RETURNING mark, lineage`,
);

export function startReplicaMarks({ change }: Connection, boundMs: number): ReplicaMarks {
  /** Newest first, all of one lineage: another primary may lack what an earlier one marked. */
  let marks: readonly OwnMark[] = [];
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    const at = performance.now();
    try {
      const [written] = await change((session) => advance(session, {}));
      if (written === undefined) return;
      const same = marks.filter((each) => each.lineage === written.lineage);
      marks = [{ ...written, at }, ...same].filter((each) => at - each.at <= boundMs);
    } catch {
      // The primary cannot write now. Without new marks, all reads go to the primary.
    } finally {
      schedule();
    }
  }
  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => void write(), Math.min(longestIntervalMs, boundMs / 4));
    timer.unref();
  }
  void write();

  return {
    newestIn(shown) {
      const oldest = performance.now() - boundMs;
      return marks.find(
        ({ mark, lineage: own, at }) => own === shown.lineage && mark <= shown.mark && at >= oldest,
      );
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
