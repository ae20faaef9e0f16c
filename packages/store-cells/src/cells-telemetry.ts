import type { CellStore, FollowedRecord, TelemetryStore } from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { neverHalting } from "./cells-updates.js";
import { askByCell, workInTurn } from "./fan-out.js";
import { fromVector, toVector } from "./vector-cursor.js";

/** Records are in the cells of their devices. The cursor of `follow` has one part for each cell. */
export function createCellsTelemetry({ cells, of, inCell }: Cells): TelemetryStore {
  /** The cell that the next page begins with, so that no cell waits for another one with many records. */
  let first = 0;
  /** The calls of `rollUp` with the same `before`, the cells that have nothing left for them, and their failures. */
  const beginPass = (before: number) => ({
    ...{ before, ended: new Set<CellStore>() },
    failures: [] as unknown[],
  });
  let pass = beginPass(Number.NaN);

  function toCursors(after: string): readonly string[] {
    // A split keeps the positions, so a cursor from before the split is valid in each cell.
    const isOfOne = /^\d*$/.test(after);
    const cursors = isOfOne ? cells.map(() => after) : fromVector(after, cells.length);
    if (cursors !== null) return cursors;
    throw new TypeError("after: this is not a cursor. Pass the `next` of an earlier page.");
  }

  return {
    append: (input) => {
      const cell = of(input.deviceId);
      if (input.otaReports === undefined) return cell.telemetry.append(input);
      const otaReports = input.otaReports.map((status) => ({
        ...status,
        rules: neverHalting(status.rules),
      }));
      return cell.telemetry.append({ ...input, otaReports });
    },
    latest: (devices) => askByCell(devices, of, ({ telemetry }, some) => telemetry.latest(some)),
    count: inCell((cell, input) => cell.telemetry.count(input)),
    samples: inCell((cell, input) => cell.telemetry.samples(input)),
    leaves: inCell((cell, input) => cell.telemetry.leaves(input)),
    metrics: inCell((cell, input) => cell.telemetry.metrics(input)),
    aggregate: (input, turn) => of(input.deviceId).telemetry.aggregate(input, turn),
    reopenHours: inCell((cell, input) => cell.telemetry.reopenHours(input)),
    read: inCell((cell, input) => cell.telemetry.read(input)),
    lastPositions: (deviceIds) =>
      askByCell(
        deviceIds.map((deviceId) => ({ deviceId })),
        of,
        ({ telemetry }, some) => telemetry.lastPositions(some.map(({ deviceId }) => deviceId)),
      ),
    async rollUp({ before, limit }) {
      if (pass.before !== before) pass = beginPass(before);
      const { ended, failures } = pass;
      const left = cells.filter((cell) => !ended.has(cell));
      const built = await workInTurn(left, limit, async (cell, most) => {
        try {
          const outcome = await cell.telemetry.rollUp({ before, limit: most });
          if (!outcome.more) ended.add(cell);
          return outcome.built;
        } catch (error) {
          ended.add(cell);
          failures.push(error);
          return 0;
        }
      });
      if (ended.size < cells.length) return { built, more: true };
      pass = beginPass(Number.NaN);
      if (failures.length > 0) throw failures[0];
      return { built, more: false };
    },
    prune: (input) =>
      workInTurn(cells, input.limit, ({ telemetry }, limit) =>
        telemetry.prune({ ...input, limit }),
      ),
    pruneRollUps: (input) =>
      workInTurn(cells, input.limit, ({ telemetry }, limit) =>
        telemetry.pruneRollUps({ ...input, limit }),
      ),
    async follow({ after, limit }) {
      const next = [...toCursors(after)];
      const records: FollowedRecord[] = [];
      first = (first + 1) % cells.length;
      for (const [n] of cells.entries()) {
        if (records.length >= limit) break;
        const index = (first + n) % cells.length;
        const page = await cells[index]?.telemetry.follow({
          after: next[index] ?? "",
          limit: limit - records.length,
        });
        if (page === undefined) continue;
        records.push(...page.records);
        next[index] = page.next;
      }
      return { records, next: toVector(next) };
    },
    end: async () => toVector(await Promise.all(cells.map(({ telemetry }) => telemetry.end()))),
  };
}
