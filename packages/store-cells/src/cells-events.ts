import type { CellStore, SecurityEventStore } from "@device-gateway/core/store";
import type { Cells } from "./cells.js";

/** Events that are imported in one transaction. */
const importStep = 500;

/**
 * The home has the event log. Cells write the events of their devices in the transaction of the change; a reader first
 * imports them, in their order. So one sequence numbers all events, and whoever reads has everything that was committed.
 */
export function createCellsEvents({ home, cells }: Cells): SecurityEventStore {
  async function importFrom(cell: CellStore, number: number, imported: number): Promise<void> {
    for (let after = imported; ; ) {
      const events = await cell.securityEvents.list({ after, limit: importStep });
      const last = events.at(-1);
      if (last === undefined) return;
      await home.cell.importEvents({ cell: number, after, events });
      after = last.id;
    }
  }

  async function importAll(): Promise<void> {
    const imports = new Map((await home.cell.imports()).map(({ cell, upTo }) => [cell, upTo]));
    await Promise.all(cells.map((cell, n) => importFrom(cell, n, imports.get(n) ?? 0)));
  }

  return {
    async list(input) {
      await importAll();
      return home.securityEvents.list(input);
    },
    async newest(input) {
      await importAll();
      return home.securityEvents.newest(input);
    },
    async prune(input) {
      await importAll();
      await Promise.all(cells.map(({ securityEvents }) => securityEvents.prune(input)));
      return home.securityEvents.prune(input);
    },
    prunedUpTo: () => home.securityEvents.prunedUpTo(),
  };
}
