import type { GatewayStore } from "@device-gateway/core/store";
import type { Cells } from "./cells.js";

const toNumberError = (found: string, given: number) =>
  new TypeError(
    `cells: the database was created for ${found} cells, and ${given} are given. Their number never changes.`,
  );

const toPlaceError = (place: number) =>
  new TypeError(
    `cells: the store at place ${place} is another cell, or belongs to another gateway. Give the cells in their order.`,
  );

/**
 * Creates `keepKeyCheck`. Each cell keeps a random id, its place and the number of cells. The home keeps the ids with the
 * value. So a gateway with another number of cells, with cells in another order, or with an empty store instead of a cell
 * does not start. The cells come first, so a start that is killed can be repeated.
 */
export function createLayoutCheck({ home, cells }: Cells): GatewayStore["keepKeyCheck"] {
  /** Returns the id of a cell. */
  async function keepPlace(cell: GatewayStore, place: number): Promise<string> {
    const stored = await cell.keepKeyCheck(
      `${crypto.randomUUID()} cell ${place} of ${cells.length}`,
    );
    const [, id, found, count] = /^(\S+) cell (\d+) of (\d+)$/.exec(stored) ?? [];
    if (id === undefined || count === undefined) throw toPlaceError(place);
    if (count !== String(cells.length)) throw toNumberError(count, cells.length);
    if (found !== String(place)) throw toPlaceError(place);
    return id;
  }

  return async (value) => {
    const ids: string[] = [];
    // One after the other, so that a wrong cell at an early place leaves the later ones unchanged.
    for (const [place, cell] of cells.entries()) ids.push(await keepPlace(cell, place));
    const stored = await home.keepKeyCheck(`${value} cells ${ids.join(",")}`);
    const [, kept, list] = /^(.*) cells (\S+)$/.exec(stored) ?? [];
    if (kept === undefined || list === undefined) throw toNumberError("no", cells.length);
    const found = list.split(",");
    if (found.length !== ids.length) throw toNumberError(String(found.length), ids.length);
    const wrong = ids.findIndex((id, place) => id !== found[place]);
    if (wrong !== -1) throw toPlaceError(wrong);
    return kept;
  };
}
