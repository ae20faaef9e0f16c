import { cellOf } from "./cell-of.js";
import { copiesFollower } from "./copies.js";
import { parseHomeMark, writeCellMark, writeHomeMark } from "./layout-check.js";

/** The rules by which a store is split, so that `createCellsStore` works with its parts. */
export interface CellsSplitRules {
  /** Returns the number of a device's cell, from 0. */
  cellOf(deviceId: string): number;
  /**
   * Returns what the home and each cell keep as their key check. `value` is that of the store. Throws if it has cells
   * already.
   */
  toKeyChecks(value: string): { readonly home: string; readonly cells: readonly string[] };
  /** The follower in each cell whose cursor is the last event at home that is copied there. */
  readonly copiesFollower: string;
}

/**
 * Returns the rules by which `splitPostgresStore` of `@device-gateway/store-postgres` splits a store into a home and
 * `count` cells.
 *
 * @example
 * await splitPostgresStore({ url, cells, rules: splitRules(cells.length) });
 */
export const splitRules = (count: number): CellsSplitRules => ({
  cellOf: (deviceId) => cellOf(deviceId, count),
  toKeyChecks(value) {
    const split = parseHomeMark(value).ids.length;
    if (split > 0) {
      throw new Error(
        `The store is already split into ${split} cells. Start the servers with these cells.`,
      );
    }
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    return {
      home: writeHomeMark({ value, ids }),
      cells: ids.map((id, place) => writeCellMark(id, place, count)),
    };
  },
  copiesFollower,
});
