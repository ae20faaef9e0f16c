import {
  type OtaEventStore,
  type OtaState,
  type RefusalStore,
  StoreUnavailableError,
  type UpdateRules,
  type UpdateStore,
} from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { askAvailable, askByCell, workInTurn } from "./fan-out.js";

/**
 * Returns rules under which no tally halts a release. A cell counts only its own devices; `settle` adds the tallies of all
 * cells and halts.
 */
export const neverHalting = (rules: UpdateRules): UpdateRules => ({ ...rules, toleratedShare: 1 });

/** Updates are in the cells of their devices. */
export function createCellsUpdates({ cells, of, inCell }: Cells): UpdateStore {
  return {
    report: ({ report, rules }) =>
      of(report.event.deviceId).updates.report({ report, rules: neverHalting(rules) }),
    list: (deviceId) => of(deviceId).updates.list(deviceId),
    async counts(releaseId) {
      const sums: Partial<Record<OtaState, number>> = {};
      for (const counts of await Promise.all(
        cells.map(({ updates }) => updates.counts(releaseId)),
      )) {
        for (const [state, count] of Object.entries(counts) as [OtaState, number][]) {
          sums[state] = (sums[state] ?? 0) + count;
        }
      }
      return sums;
    },
    async overdue(input) {
      // Devices that go silent halt a rollout, even while the cell of other devices is down.
      const found = await askAvailable(cells, ({ updates }) => updates.overdue(input));
      if (found.length === 0) throw new StoreUnavailableError("No cell is available.");
      return found
        .flatMap(({ answer }) => answer)
        .sort((a, b) => a.updatedAt - b.updatedAt)
        .slice(0, input.limit);
    },
    setOtaTarget: inCell((cell, input) => cell.updates.setOtaTarget(input)),
    clearBlocks: inCell((cell, input) => cell.updates.clearBlocks(input)),
    prune: (input) =>
      workInTurn(cells, input.limit, ({ updates }, limit) => updates.prune({ ...input, limit })),
  };
}

export function createCellsOtaEvents({ cells, inCell }: Cells): OtaEventStore {
  return {
    list: inCell((cell, input) => cell.otaEvents.list(input)),
    prune: (input) =>
      workInTurn(cells, input.limit, ({ otaEvents }, limit) =>
        otaEvents.prune({ ...input, limit }),
      ),
  };
}

export function createCellsRefusals({ of, inCell }: Cells): RefusalStore {
  return {
    add: inCell((cell, input) => cell.refusals.add(input)),
    list: inCell((cell, input) => cell.refusals.list(input)),
    latest: (devices) => askByCell(devices, of, ({ refusals }, some) => refusals.latest(some)),
  };
}
