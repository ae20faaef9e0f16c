import {
  auditKinds,
  type CellStore,
  type SecurityEventKind,
  type StoredSecurityEvent,
  StoreUnavailableError,
} from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { copyInTurn } from "./copies-in-turn.js";
import { askAvailable } from "./fan-out.js";

const copiedKinds: readonly SecurityEventKind[] = auditKinds.filter(
  (kind) => kind.startsWith("release.") || kind.startsWith("alert_rule."),
);
const eventStep = 100;
const alertStep = 200;
/** How long a process that copies to a cell keeps others from it, in milliseconds. Afterwards another one may repeat the copies. */
const leaseMs = 2_000;
/** The follower in each cell whose cursor is the last event that is copied there. */
export const copiesFollower = "copies";
const name = copiesFollower;

/** Copies changed releases, and rules that are about no single device, from the home to the cells. */
export interface Copies {
  /**
   * Copies everything that was committed before the call to the cells. `at`: epoch milliseconds. Returns the places of
   * the cells that have it. A cell that is not available is left out, and one to which another process copies: that
   * process reads the log again after it has ended its lease.
   * @throws {StoreUnavailableError} if the home is not available.
   */
  copy(at: number): Promise<ReadonlySet<number>>;
  /** Like `copy`, but ignores an unavailable home: the next `settle` copies. */
  copySoon(at: number): Promise<void>;
  /** Forgets what the cells have, so that the next `copy` asks them. Call it when a store may have lost changes. */
  forget(): void;
}

/**
 * The home's event log says what changed. Each cell stores up to where it has the copies, so a cell that was down or restored
 * continues there. One process at a time copies to a cell. If two do, because a lease has expired, the revision decides, and an
 * earlier cursor only repeats copies.
 */
export function createCopies({ home, cells, logger }: Cells): Copies {
  /** The last copied event of each cell, if it is known. `forget` replaces the map, so that a copy in progress does not write to it. */
  let cursors = new Map<number, number>();

  /** Takes a cell's lease until a time. Returns the stored cursor, or undefined if another process has the lease. */
  async function takeCursor(
    cell: CellStore,
    holder: string,
    at: number,
    until: number,
  ): Promise<number | undefined> {
    const taken = await cell.followers.take({ name, holder, at, until });
    return taken === null ? undefined : Number(taken.cursor);
  }

  /** Returns the cursors of the cells that are available. */
  async function readCursors(
    known: ReadonlyMap<number, number>,
    at: number,
  ): Promise<Map<number, number>> {
    const found = await askAvailable(
      cells,
      // The lease has expired already, so that any process can copy.
      async (cell, index) => known.get(index) ?? takeCursor(cell, crypto.randomUUID(), at, 0),
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
    if (rule !== null) {
      await cell.cell.copyRule(rule);
      // Another process may have dropped the copy meanwhile, because the rule is removed.
      if ((await home.alerts.findRule(id)) !== null) return;
    }
    while ((await cell.cell.dropRule({ id, limit: alertStep })).more);
  }

  /**
   * Copies those changes after `seen` that a cell lacks, under a lease. Returns the cell's cursor, which is below `seen` if
   * the cell was restored. Returns undefined if another process has the lease, or takes it meanwhile.
   */
  async function applyAlone(
    cell: CellStore,
    seen: number,
    events: readonly StoredSecurityEvent[],
    at: number,
  ): Promise<number | undefined> {
    // If the cell is restored from here on, its lease has another holder. The cursor is then not stored, and does not
    // skip what the cell has lost.
    const holder = crypto.randomUUID();
    const stored = await takeCursor(cell, holder, at, at + leaseMs);
    if (stored === undefined) return undefined;
    try {
      const newest = events.at(-1)?.id ?? seen;
      if (stored < seen || (seen > 0 && stored > newest)) return stored;
      // Another process may have copied some. From 0 on, all are copied again, whatever the cell stores.
      const goesOn = seen > 0 && events.some(({ id }) => id === stored);
      const missing = goesOn ? events.filter(({ id }) => id > stored) : events;
      const begunAt = performance.now();
      let last = goesOn ? stored : seen;
      for (const event of missing) {
        const isRelease = event.kind.startsWith("release.");
        await (isRelease ? copyRelease(cell, event, at) : copyRule(cell, event));
        last = event.id;
        // The cursor moves only under a valid lease. The next page continues here.
        if (performance.now() - begunAt > leaseMs / 2) break;
      }
      const isMoved = await cell.followers.advance({ name, holder, cursor: String(last) });
      return isMoved ? last : undefined;
    } finally {
      await cell.followers.release({ name, holder });
    }
  }

  /** Like `applyAlone`. Returns undefined also if it failed, so that a cell with a fault does not stop the copies of others. */
  async function apply(
    index: number,
    seen: number,
    events: readonly StoredSecurityEvent[],
    at: number,
  ): Promise<number | undefined> {
    const cell = cells[index];
    if (cell === undefined || events.length === 0) return seen;
    try {
      return await applyAlone(cell, seen, events, at);
    } catch (error) {
      const isTemporary = error instanceof StoreUnavailableError;
      if (!isTemporary && logger === undefined) throw error;
      const level = isTemporary ? "warn" : "error";
      logger?.[level]({ cell: index, err: error }, "A cell has no copy of the latest releases yet");
      return undefined;
    }
  }

  /** Reads the next page of changes and copies it to the cells. Returns whether more may be left. */
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
        const missing = events.filter(isNew(seen));
        const cursor = isInLog(seen) ? await apply(index, seen, missing, at) : 0;
        // Another process may have made a change during the lease, and left it to this one.
        isMore ||= cursor !== undefined && cursor !== seen;
        for (const map of [known, pending]) {
          if (cursor === undefined) map.delete(index);
          else map.set(index, cursor);
        }
      }),
    );
    return isMore;
  }

  const copyNext = copyInTurn(async (at) => {
    const known = cursors;
    const pending = await readCursors(known, at);
    const begunAt = performance.now();
    const now = () => at + Math.round(performance.now() - begunAt);
    while (pending.size > 0 && (await copyPage(known, pending, now())));
    return new Set(pending.keys());
  });

  return {
    copy: copyNext,
    async copySoon(at) {
      try {
        await copyNext(at);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
    },
    forget() {
      cursors = new Map();
    },
  };
}
