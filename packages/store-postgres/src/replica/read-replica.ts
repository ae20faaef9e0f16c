import type { Logger } from "@device-gateway/core/store";
import { lineage } from "../database/changes/lineage.js";
import { type Connection, callDeadline } from "../database/connection/connection.js";
import { isUnusable } from "../database/connection/store-errors.js";
import { type Session, statement } from "../database/statement.js";
import { type OwnMark, type ReplicaMark, startReplicaMarks } from "./replica-marks.js";

/**
 * How long a replica may take, in milliseconds. The primary gets the rest of the call's time if the replica does not
 * answer.
 */
const timeoutMs = 600;

const beginSnapshot = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = ${timeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${2 * timeoutMs}`;

interface Shown extends ReplicaMark {
  /** The lineage of the server that shows the mark. Null on a standby. */
  readonly server: string | null;
}

const columns = `mark, lineage, ${lineage} AS server`;
const show = statement<object, Shown>(`SELECT ${columns} FROM device_gateway.replica_mark`);
const showFor = statement<{ deviceId: string }, Shown & { device: number | null }>(
  `SELECT ${columns}, (
     SELECT number FROM device_gateway.device_activity WHERE device_id = @deviceId) AS device
   FROM device_gateway.replica_mark`,
);

/** What the primary said in this call. The replica must agree. */
export interface PrimaryFacts {
  readonly lineage: string;
  readonly device?: { readonly deviceId: string; readonly number: number };
}

/** A point in time up to which the replica has everything from the primary. */
export interface ReplicaPin {
  /** How long ago that moment was, in milliseconds. */
  readonly lagMs: number;
  /**
   * Runs reads on the replica, in one snapshot that has everything from before that moment. Runs them on the primary if
   * the replica fails, is too far behind now, or disagrees with the primary.
   */
  readStep<Outcome>(
    facts: PrimaryFacts,
    work: (session: Session) => Promise<Outcome>,
    deadline?: number,
  ): Promise<Outcome>;
}

export interface ReadReplica {
  /** Returns undefined if the primary must answer. */
  pin(): Promise<ReplicaPin | undefined>;
  close(): Promise<void>;
}

interface ReplicaSources {
  readonly primary: Connection;
  readonly replica: Connection;
  /** The largest lag in milliseconds. */
  readonly boundMs: number;
  readonly logger: Logger | undefined;
}

/** The replica is behind the pin or the bound, or follows another server than the primary. */
class UnfitReplicaError extends Error {
  override readonly name = "UnfitReplicaError";
}

async function inSnapshot<Outcome>(session: Session, work: () => Promise<Outcome>) {
  await session.query(beginSnapshot, []);
  try {
    const outcome = await work();
    await session.query("COMMIT", []);
    return outcome;
  } catch (error) {
    // An unusable connection ends, and its transaction with it.
    if (!isUnusable(error)) await session.query("ROLLBACK", []);
    throw error;
  }
}

export function openReadReplica(sources: ReplicaSources): ReadReplica {
  const { primary, replica, boundMs, logger } = sources;
  const marks = startReplicaMarks(primary, boundMs);
  let isUsed = true;

  function record(used: boolean, error?: unknown): void {
    if (used === isUsed) return;
    isUsed = used;
    if (used) logger?.info({}, "The read replica answers again");
    else logger?.warn({ err: error }, "The read replica cannot be used. The primary answers");
  }

  function check(shown: Shown | undefined): OwnMark {
    const own = shown === undefined ? undefined : marks.newestIn(shown);
    // A standby, or the primary itself. A standby that was promoted is a database of its own.
    if (own !== undefined && (shown?.server ?? own.lineage) === own.lineage) return own;
    throw new UnfitReplicaError(
      "The replica is too far behind, or does not follow the primary. Check the URL of the replica.",
    );
  }

  function createPin(pinned: OwnMark): ReplicaPin {
    /** After a failure, the rest of the answer comes from the primary. */
    let hasFailed = false;

    async function checkFacts(session: Session, facts: PrimaryFacts): Promise<void> {
      const { device } = facts;
      const [shown] = await showFor(session, { deviceId: device?.deviceId ?? "" });
      const own = check(shown);
      const isSameDevice = device === undefined || shown?.device === device.number;
      if (own.mark >= pinned.mark && own.lineage === facts.lineage && isSameDevice) return;
      throw new UnfitReplicaError("The replica does not agree with the primary.");
    }

    return {
      lagMs: Math.ceil(performance.now() - pinned.at),
      async readStep(facts, work, deadline = callDeadline()) {
        if (hasFailed) return primary.readStep(work, deadline);
        try {
          const read = (session: Session) =>
            inSnapshot(session, async () => {
              await checkFacts(session, facts);
              return work(session);
            });
          return await replica.runSteps(() =>
            replica.readStep(read, Math.min(deadline, performance.now() + timeoutMs)),
          );
        } catch (error) {
          hasFailed = true;
          record(false, error);
          return primary.readStep(work, deadline);
        }
      },
    };
  }

  return {
    async pin() {
      try {
        const [shown] = await replica.runSteps(() =>
          replica.readStep((session) => show(session, {}), performance.now() + timeoutMs),
        );
        const pin = createPin(check(shown));
        record(true);
        return pin;
      } catch (error) {
        record(false, error);
        return undefined;
      }
    },
    async close() {
      marks.stop();
      await replica.close();
    },
  };
}
