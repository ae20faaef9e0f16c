import {
  auditKinds,
  type CellStore,
  type SecurityEventKind,
  type StoredSecurityEvent,
  StoreUnavailableError,
} from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { askAvailable } from "./fan-out.js";

const copiedKinds: readonly SecurityEventKind[] = auditKinds.filter(
  (kind) => kind.startsWith("release.") || kind.startsWith("alert_rule."),
);
const eventStep = 100;
const alertStep = 200;
/** The follower in each cell whose cursor is the last event that is copied there. All processes share its lease. */
export const copiesFollower = "copies";
const follower = { name: copiesFollower, holder: "copies" };

/** Copies changed releases, and rules that are about no single device, from the home to the cells. */
export interface Copies {
  /**
   * Copies everything that was committed before the call to each cell that is available. `at`: epoch milliseconds.
   * @throws {StoreUnavailableError} if the home is not available.
   */
  copy(at: number): Promise<void>;
  /** Like `copy`, but ignores an unavailable home: the next `settle` copies. */
  copySoon(at: number): Promise<void>;
}

/**
 * The home's event log says what changed. Each cell stores up to where it has the copies, so a cell that was down continues
 * there. Two processes may copy the same: the revision decides, and an earlier cursor only repeats copies.
 */
export function createCopies({ home, cells, logger }: Cells): Copies {
  const cursors: (number | undefined)[] = cells.map(() => undefined);

  async function readCursor(cell: CellStore, index: number, at: number): Promise<number> {
    const known = cursors[index];
    if (known !== undefined) return known;
    const taken = await cell.followers.take({ ...follower, at, until: at });
    cursors[index] = Number(taken?.cursor ?? 0);
    return cursors[index];
  }

  async function copyRelease(
    cell: CellStore,
    { id, kind, details }: StoredSecurityEvent,
    at: number,
  ): Promise<void> {
    const release = await home.releases.find(Number(details["releaseId"]));
    if (release === null) return;
    await cell.cell.copyRelease({ release, round: kind === "release.halted" ? id : 0, at });
  }

  async function copyRule(cell: CellStore, { details }: StoredSecurityEvent): Promise<void> {
    const id = String(details["ruleId"]);
    const rule = await home.alerts.findRule(id);
    if (rule !== null) return cell.cell.copyRule(rule);
    while ((await cell.cell.dropRule({ id, limit: alertStep })).more);
  }

  async function apply(
    cell: CellStore,
    index: number,
    events: readonly StoredSecurityEvent[],
    at: number,
  ): Promise<void> {
    const last = events.at(-1);
    if (last === undefined) return;
    try {
      for (const event of events) {
        const isRelease = event.kind.startsWith("release.");
        await (isRelease ? copyRelease(cell, event, at) : copyRule(cell, event));
      }
      await cell.followers.advance({ ...follower, cursor: String(last.id) });
      cursors[index] = Math.max(cursors[index] ?? 0, last.id);
    } catch (error) {
      cursors[index] = undefined;
      if (!(error instanceof StoreUnavailableError)) throw error;
      logger?.warn({ cell: index, err: error }, "A cell has no copy of the latest releases yet");
    }
  }

  async function copy(at: number): Promise<void> {
    const found = await askAvailable(cells, (cell, index) => readCursor(cell, index, at));
    const pending = new Map(found.map(({ index, answer }) => [index, answer]));
    while (pending.size > 0) {
      const after = Math.min(...pending.values());
      const events = await home.securityEvents.list({
        after,
        limit: eventStep,
        kinds: copiedKinds,
      });
      const last = events.at(-1);
      if (last === undefined) return;
      await Promise.all(
        [...pending].map(async ([index, seen]) => {
          const cell = cells[index];
          if (cell === undefined) return;
          await apply(
            cell,
            index,
            events.filter(({ id }) => id > seen),
            at,
          );
          if (cursors[index] === undefined) pending.delete(index);
          else pending.set(index, Math.max(seen, last.id));
        }),
      );
      if (events.length < eventStep) return;
    }
  }

  return {
    copy,
    async copySoon(at) {
      try {
        await copy(at);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
    },
  };
}
