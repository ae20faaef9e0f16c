import {
  type CellStore,
  type ChangeFeed,
  type ChangesOutcome,
  StoreUnavailableError,
} from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { workInTurn } from "./fan-out.js";
import { fromVector, toVector } from "./vector-cursor.js";

/** How long a poll waits for the other stores after the first has answered, in milliseconds. Then their devices are unread. */
const patienceMs = 300;

/** The cursor of a store that was never read. */
const unreadCursor = "";

/**
 * The cursor has one part for the home and one for each cell. A store that does not answer in time keeps its part, and its
 * devices count as unread. So devices of other cells stay in the caches. Releases never count as unread: a change of one is
 * also in the feeds of the cells, together with its copy. Calls `onReset` if a store may have lost changes.
 */
export function createCellsChanges(
  { home, cells, logger, of }: Cells,
  onReset: () => void,
): ChangeFeed {
  const stores = [home, ...cells];
  /** Stores that have not answered an earlier poll yet. Nobody waits for them. */
  const late = new Set<CellStore>();
  let isFailing = false;

  /** Returns the outcomes of the stores that answered in time. */
  async function poll(cursors: readonly string[]): Promise<ReadonlyMap<CellStore, ChangesOutcome>> {
    const outcomes = new Map<CellStore, ChangesOutcome>();
    const pending = new Set<CellStore>();
    const failures: unknown[] = [];
    const polls = stores.map(async (store, n) => {
      if (late.has(store)) {
        throw new StoreUnavailableError("The database has not answered the poll before this one.");
      }
      pending.add(store);
      try {
        outcomes.set(store, await store.changes.since(cursors[n] || null));
      } catch (error) {
        failures.push(error);
        throw error;
      } finally {
        pending.delete(store);
        late.delete(store);
      }
    });
    const all = Promise.allSettled(polls);
    await Promise.any(polls).catch(({ errors }: AggregateError) => {
      throw errors[0] as Error;
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([all, patience]);
    clearTimeout(timer);
    for (const store of pending) late.add(store);
    const fault = failures.find((error) => !(error instanceof StoreUnavailableError));
    if (fault !== undefined) throw fault as Error;
    return new Map(outcomes);
  }

  function report(unread: readonly number[]): void {
    if (unread.length > 0 && !isFailing) {
      logger?.warn(
        { stores: unread.map((n) => (n === 0 ? "home" : `cell ${n - 1}`)) },
        "Could not read all change feeds. Requests of these cells' devices read the store until it works again",
      );
    }
    isFailing = unread.length > 0;
  }

  return {
    async since(cursor) {
      const parsed = cursor === null ? null : fromVector(cursor, stores.length);
      const cursors = parsed ?? stores.map(() => unreadCursor);
      const outcomes = await poll(cursors);
      const unread = stores.flatMap((store, n) => (outcomes.has(store) ? [] : [n]));
      report(unread);
      const next = toVector(
        stores.map((store, n) => outcomes.get(store)?.cursor ?? cursors[n] ?? unreadCursor),
      );
      const unreadCells = new Set(unread.map((n) => stores[n]));
      const common = {
        cursor: next,
        ...(unread.length > 0 && {
          isUnread: (deviceId: string) => unreadCells.has(deviceId === "" ? home : of(deviceId)),
        }),
      };
      const found = [...outcomes.values()];
      const changes = found.flatMap((outcome) => (outcome.kind === "changes" ? [outcome] : []));
      if (changes.length < found.length) {
        onReset();
        return { kind: "reset", ...common };
      }
      return {
        kind: "changes",
        ...common,
        deviceIds: changes.flatMap(({ deviceIds }) => deviceIds),
        releasesChanged: changes.some(({ releasesChanged }) => releasesChanged),
      };
    },
    prune: (input) =>
      workInTurn(stores, input.limit, ({ changes }, limit) => changes.prune({ ...input, limit })),
  };
}
