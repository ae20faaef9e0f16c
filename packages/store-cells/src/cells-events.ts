import type { CellStore, SecurityEventStore } from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { askAvailable, workInTurn } from "./fan-out.js";

/** Events that are imported in one transaction. */
const importStep = 500;

/**
 * The home has the event log. Cells write the events of their devices in the transaction of the change; a reader first
 * imports them, in their order. So all events are numbered by one sequence, and a reader gets everything that was
 * committed. The events of a cell that does not answer come later, with higher ids. A cell that lost events gives their
 * ids to new ones, so the import continues at the end of its log.
 */
export function createCellsEvents({ home, cells, logger, of }: Cells): SecurityEventStore {
  /** Returns the id of the last event that was imported from each cell. */
  const readImports = async () =>
    new Map((await home.cell.imports()).map(({ cell, upTo }) => [cell, upTo]));

  async function importFrom(cell: CellStore, number: number, imported: number): Promise<void> {
    for (let after = imported; ; ) {
      const { events, next } = await cell.cell.eventsAfter({ after, limit: importStep });
      if (next === after) return;
      const isImported = await home.cell.importEvents({ cell: number, after, next, events });
      if (isImported && next < after) {
        logger?.warn(
          { cell: number, imported: after, newest: next },
          "A cell has lost its newest events, by a failover or a restored backup. Its new events are imported from here on",
        );
      }
      // Another process may have imported fewer events than this one has seen.
      after = isImported ? next : ((await readImports()).get(number) ?? 0);
    }
  }

  /** Returns an import for each cell. */
  async function beginImport() {
    const imports = await readImports();
    return (cell: CellStore, n: number) => importFrom(cell, n, imports.get(n) ?? 0);
  }

  async function importAll(): Promise<void> {
    await Promise.all(cells.map(await beginImport()));
  }

  return {
    async list({ complete = false, ...input }) {
      if (complete) await importAll();
      else await askAvailable(cells, await beginImport());
      return home.securityEvents.list(input);
    },
    async newest({ complete = false, ...input }) {
      const { deviceId = "" } = input;
      if (complete) await importAll();
      else if (deviceId === "") await askAvailable(cells, await beginImport());
      else await (await beginImport())(of(deviceId), cells.indexOf(of(deviceId)));
      return home.securityEvents.newest(input);
    },
    async prune(input) {
      const importCell = await beginImport();
      let pruned = 0;
      await workInTurn([...cells, home], Number.POSITIVE_INFINITY, async (store) => {
        // A cell keeps its events until they are imported.
        if (store !== home) await importCell(store, cells.indexOf(store));
        const count = await store.securityEvents.prune(input);
        if (store === home) pruned = count;
        return 0;
      }).catch((error: unknown) => {
        // The next step reports it, once the home has nothing left.
        if (pruned < input.limit) throw error;
      });
      return pruned;
    },
    prunedUpTo: () => home.securityEvents.prunedUpTo(),
  };
}
