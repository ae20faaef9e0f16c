/** Starts a commit of records at the end of this turn of the event loop, or when it is the commit's turn. */
export type StartCommit = (commit: () => Promise<void>) => void;

/** Starts each commit on its own, with the records that arrive in this turn of the event loop. */
export const commitSoon: StartCommit = (commit) => void setImmediate(() => void commit());

/** How long a commit keeps the turn, in milliseconds. A store whose rows are locked must not delay the others. */
const longestTurnMs = 50;
/** How long the commits of all stores may keep the turn together, in milliseconds. No append must time out meanwhile. */
const longestRoundMs = 400;

/**
 * Runs the commits of several stores over one database one at a time, in the order of their requests. While a
 * store waits, more records join its commit. So telemetry for eight schemas takes only a few more commits than for one.
 */
export function createCommitTurns(stores: number): StartCommit {
  const turnMs = Math.min(longestTurnMs, longestRoundMs / stores);
  const waiting: (() => Promise<void>)[] = [];
  let isTaken = false;

  function startNext(): void {
    if (isTaken) return;
    const commit = waiting.shift();
    if (commit === undefined) return;
    isTaken = true;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      isTaken = false;
      // Records that arrive in this turn of the event loop join the next commit.
      setImmediate(startNext);
    };
    const timer = setTimeout(end, turnMs);
    void commit().finally(end);
  }

  return (commit) => {
    waiting.push(commit);
    setImmediate(startNext);
  };
}
