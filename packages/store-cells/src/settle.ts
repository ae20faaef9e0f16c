import {
  failsTooOften,
  type GatewayStore,
  newTally,
  type Release,
  type RolloutTally,
  type SecurityEvent,
  toHaltEvent,
} from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import type { Copies } from "./copies.js";
import { askAvailable } from "./fan-out.js";

interface CellTally {
  readonly tally: RolloutTally;
  /** Whether the cell has the latest copies, and so knows the latest halt. */
  readonly isComplete: boolean;
}

/** Adds the tallies of the latest round. A cell with an earlier round does not know the latest halt yet, so it counts nothing. */
function sumTallies(counted: readonly CellTally[]): RolloutTally {
  const rounds = counted.flatMap(({ tally, isComplete }) => (isComplete ? [tally.round] : []));
  const round = Math.max(newTally.round, ...rounds);
  const tallies = counted.map(({ tally }) => tally);
  const current = tallies.filter((tally) => tally.round === round);
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  return {
    round,
    succeeded: sum(current.map(({ succeeded }) => succeeded)),
    failed: sum(current.map(({ failed }) => failed)),
  };
}

/**
 * Creates `GatewayStore.settle`. The releases are read first, then copied, then the tallies are read. The cells that have
 * the copies say which round is the latest: so a tally belongs to the round of the revision that the halt expects, and only
 * one of any number of processes halts a release.
 */
export function createSettle(
  { home, cells }: Cells,
  copies: Copies,
): NonNullable<GatewayStore["settle"]> {
  async function halt(
    release: Release,
    tally: RolloutTally,
    now: number,
  ): Promise<readonly SecurityEvent[]> {
    const event = toHaltEvent(release, tally, now);
    const { kind } = await home.releases.change({
      id: release.id,
      expectedRevision: release.revision,
      changes: { status: "paused", haltedAt: now },
      event,
    });
    return kind === "changed" ? [event] : [];
  }

  return async ({ toleratedShare, now }) => {
    const active = await home.releases.offerable();
    const complete = await copies.copy(now);
    if (active.length === 0 || complete.size === 0) return [];
    const ids = active.map(({ id }) => id);
    const found = await askAvailable(cells, ({ cell }) => cell.tallies(ids));
    if (!found.some(({ index }) => complete.has(index))) return [];
    const counted = found.flatMap(({ index, answer }) =>
      answer.map((one) => ({ ...one, isComplete: complete.has(index) })),
    );
    const halts: SecurityEvent[] = [];
    for (const release of active) {
      const own = counted.filter(({ releaseId }) => releaseId === release.id);
      const tally = sumTallies(own);
      if (failsTooOften(tally, toleratedShare)) halts.push(...(await halt(release, tally, now)));
    }
    if (halts.length > 0) await copies.copySoon(now);
    return halts;
  };
}
