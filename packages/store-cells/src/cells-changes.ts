import type { ChangeFeed } from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { workInTurn } from "./fan-out.js";
import { fromVector, toVector } from "./vector-cursor.js";

/** The cursor has one part for the home and one for each cell. */
export function createCellsChanges({ home, cells }: Cells): ChangeFeed {
  const stores = [home, ...cells];
  return {
    async since(cursor) {
      const cursors = cursor === null ? null : fromVector(cursor, stores.length);
      const outcomes = await Promise.all(
        stores.map(({ changes }, index) => changes.since(cursors?.[index] ?? null)),
      );
      const next = toVector(outcomes.map((outcome) => outcome.cursor));
      const changes = outcomes.flatMap((outcome) => (outcome.kind === "changes" ? [outcome] : []));
      if (changes.length < outcomes.length) return { kind: "reset", cursor: next };
      return {
        kind: "changes",
        cursor: next,
        deviceIds: changes.flatMap(({ deviceIds }) => deviceIds),
        releasesChanged: changes.some(({ releasesChanged }) => releasesChanged),
      };
    },
    prune: (input) =>
      workInTurn(stores, input.limit, ({ changes }, limit) => changes.prune({ ...input, limit })),
  };
}
