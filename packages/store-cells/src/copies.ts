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
/** The follower in each cell whose cursor is the last event that is copied there. */
export const copiesFollower = "copies";
const name = copiesFollower;

/** Copies changed releases, and rules that are about no single device, from the home to the cells. */
export interface Copies {
  /**
   * Copies everything that was committed before the call to each cell that is available. `at`: epoch milliseconds.
   * @throws {StoreUnavailableError} if the home is not available.
   */
  copy(at: number): Promise<void>;
  /** Like `copy`, but ignores an unavailable home: the next `settle` copies. */
  copySoon(at: number): Promise<void>;
  /** Forgets what the cells have, so that the next `copy` asks them. Call it when a store may have lost changes. */
  forget(): void;
}

/**
 * The home's event log says what changed. Each cell stores up to where it has the copies, so a cell that was down or restored
 * continues there. Two processes may copy the same: the revision decides, and an earlier cursor only repeats copies.
 */
export function createCopies({ home, cells, logger }: Cells): Copies {
  /** The last copied event of each cell, if it is known. `forget` replaces the map, so that a copy in progress does not write to it. */
  let cursors = new Map<number, number>();

  /** Returns the cursor that a cell stores. Undefined if a process of an earlier version is copying to the cell. */
  async function takeCursor(
    cell: CellStore,
    holder: string,
    at: number,
  ): Promise<number | undefined> {
    // The lease has expired already, so that any process can copy.
    const taken = await cell.followers.take({ name, holder, at, until: 0 });
    return taken === null ? undefined : Number(taken.cursor);
  }

  /** Returns the cursors of the cells that are available. */
  async function readCursors(
    known: ReadonlyMap<number, number>,
    at: number,
  ): Promise<Map<number, number>> {
    const found = await askAvailable(
      cells,
      async (cell, index) => known.get(index) ?? takeCursor(cell, crypto.randomUUID(), at),
    );
    return new Map(
      found.flatMap(({ index, answer }) => (answer === undefined ? [] : [[index, answer]])),
    );
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

  /**
   * Copies changes to a cell. Returns the cell's cursor, which is below `seen` if the cell was restored. Returns undefined
   * if the cell is not available, or if another process copies at the same time.
   */
  async function apply(
    index: number,
    seen: number,
    events: readonly StoredSecurityEvent[],
    at: number,
  ): Promise<number | undefined> {
    const cell = cells[index];
    const last = events.at(-1);
    if (cell === undefined || last === undefined) return seen;
    try {
      // A cell that is restored from here on has another holder, so its cursor does not skip what it has lost.
      const holder = crypto.randomUUID();
      const stored = await takeCursor(cell, holder, at);
      if (stored === undefined || stored < seen) return stored;
      for (const event of events) {
        const isRelease = event.kind.startsWith("release.");
        await (isRelease ? copyRelease(cell, event, at) : copyRule(cell, event));
      }
      const isMoved = await cell.followers.advance({ name, holder, cursor: String(last.id) });
      return isMoved ? last.id : undefined;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      logger?.warn({ cell: index, err: error }, "A cell has no copy of the latest releases yet");
      return undefined;
    }
  }

  /** Reads the next page of changes and copies it to the cells. Returns whether more is left. */
  async function copyPage(
    known: Map<number, number>,
    pending: Map<number, number>,
    at: number,
  ): Promise<boolean> {
    const from = Math.min(...pending.values());
    // The page begins with the last copied event, and so shows whether the home still has it.
    const after = Math.max(0, from - 1);
    const events = await home.securityEvents.list({ after, limit: eventStep, kinds: copiedKinds });
    const isLastPage = events.length < eventStep;
    const last = events.at(-1)?.id ?? 0;
    const isInLog = (seen: number) =>
      seen === 0 || (seen > last && !isLastPage) || events.some(({ id }) => id === seen);
    const isNew = (seen: number) => (event: StoredSecurityEvent) => event.id > seen;
    let isMore = !isLastPage;
    await Promise.all(
      [...pending].map(async ([index, seen]) => {
        // A restored home gives the ids of lost events to others. Copying everything again is harmless.
        const cursor = isInLog(seen) ? await apply(index, seen, events.filter(isNew(seen)), at) : 0;
        isMore ||= cursor !== undefined && cursor < seen;
        for (const map of [known, pending]) {
          if (cursor === undefined) map.delete(index);
          else map.set(index, cursor);
        }
      }),
    );
    return isMore;
  }

  async function copy(at: number): Promise<void> {
    const known = cursors;
    const pending = await readCursors(known, at);
    while (pending.size > 0 && (await copyPage(known, pending, at)));
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
    forget() {
      cursors = new Map();
    },
  };
}
