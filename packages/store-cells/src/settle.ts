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

/** Adds tallies. A cell with an earlier round than another one does not know the latest halt yet, so it counts nothing. */
function sumTallies(tallies: readonly RolloutTally[]): RolloutTally {
  const round = Math.max(newTally.round, ...tallies.map((tally) => tally.round));
  const current = tallies.filter((tally) => tally.round === round);
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  return {
    round,
    succeeded: sum(current.map(({ succeeded }) => succeeded)),
    failed: sum(current.map(({ failed }) => failed)),
  };
}

/**
 * Creates `GatewayStore.settle`. The releases are read first, then copied, then the tallies of the cells that have the
 * copies are read: so a tally belongs to the round of the revision that the halt expects, and only one of any number of
 * processes halts a release.
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
    if (active.length === 0) return [];
    const ids = active.map(({ id }) => id);
    const found = await askAvailable(cells, async ({ cell }, place) =>
      complete.has(place) ? cell.tallies(ids) : [],
    );
    const counted = found.flatMap(({ answer }) => answer);
    const halts: SecurityEvent[] = [];
    for (const release of active) {
      const own = counted.filter(({ releaseId }) => releaseId === release.id);
      const tally = sumTallies(own.map((one) => one.tally));
      if (failsTooOften(tally, toleratedShare)) halts.push(...(await halt(release, tally, now)));
    }
    if (halts.length > 0) await copies.copySoon(now);
    return halts;
  };
}
