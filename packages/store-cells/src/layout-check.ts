import type { CellStore, GatewayStore } from "@device-gateway/core/store";

/** Reports that the stores are not those, or not in the order, that the gateway was created with. */
export class WrongCellsError extends TypeError {
  override readonly name = "WrongCellsError";
  /** The first place whose store is another cell. Undefined if the number of cells is wrong. */
  readonly place: number | undefined;

  constructor(message: string, place?: number) {
    super(message);
    this.place = place;
  }
}

const toNumberError = (found: number, given: number) =>
  new WrongCellsError(
    `cells: the database was created for ${found === 0 ? "no" : found} cells, and ${given} are given. Their number never changes.`,
  );

const toPlaceError = (place: number) =>
  new WrongCellsError(
    `cells: the store at place ${place} is another cell, or belongs to another gateway. Give the cells in their order.`,
    place,
  );

/** What a home keeps: the key check of the gateway, and the ids of the cells in their order. */
interface HomeMark {
  readonly value: string;
  readonly ids: readonly string[];
}

export const writeHomeMark = ({ value, ids }: HomeMark) => `${value} cells ${ids.join(",")}`;

/** Returns no ids for the store of a gateway without cells. */
export function parseHomeMark(text: string): HomeMark {
  const [, value, ids] = /^(.*) cells (\S+)$/.exec(text) ?? [];
  return value === undefined || ids === undefined
    ? { value: text, ids: [] }
    : { value, ids: ids.split(",") };
}

/** Returns what a cell keeps: its id, its place and the number of cells. */
export const writeCellMark = (id: string, place: number, count: number) =>
  `${id} cell ${place} of ${count}`;

/** Returns the id in the mark of a cell. Throws if it is the mark of another place. */
function toCellId(text: string, place: number, count: number): string {
  const [, id, found, of] = /^(\S+) cell (\d+) of (\d+)$/.exec(text) ?? [];
  if (id === undefined || of === undefined) throw toPlaceError(place);
  if (of !== String(count)) throw toNumberError(Number(of), count);
  if (found !== String(place)) throw toPlaceError(place);
  return id;
}

function compareIds(stored: readonly string[], given: readonly string[]): void {
  if (stored.length !== given.length) throw toNumberError(stored.length, given.length);
  const wrong = given.findIndex((id, place) => id !== stored[place]);
  if (wrong !== -1) throw toPlaceError(wrong);
}

/**
 * Returns the number of cells that the gateway with this home was created with: 0 if it has no cells, null if the store is new.
 * @throws {StoreUnavailableError} if the home cannot answer now.
 *
 * @example
 * const count = await readCellCount(home);
 * if (count !== null && count !== cells.length) throw new Error(`Start the gateway with ${count} cells.`);
 */
export async function readCellCount(home: CellStore): Promise<number | null> {
  const text = await home.cell.keyCheck();
  return text === null ? null : parseHomeMark(text).ids.length;
}

/** The home, and the cells in the order of their numbers. */
export interface CellsLayout {
  readonly home: CellStore;
  readonly cells: readonly CellStore[];
}

/**
 * Checks that a gateway was created with exactly these stores, and changes nothing. Does nothing if the home is new.
 * @throws {WrongCellsError} if their number or order differs, or one of them is empty.
 * @throws {StoreUnavailableError} if one of them cannot answer now.
 *
 * @example
 * await checkCells({ home, cells });
 * const store = createCellsStore({ home, cells });
 */
export async function checkCells({ home, cells }: CellsLayout): Promise<void> {
  const text = await home.cell.keyCheck();
  if (text === null) return;
  const { ids } = parseHomeMark(text);
  if (ids.length !== cells.length) throw toNumberError(ids.length, cells.length);
  const marks = await Promise.all(cells.map((each) => each.cell.keyCheck()));
  compareIds(
    ids,
    marks.map((mark, place) => toCellId(mark ?? "", place, cells.length)),
  );
}

/** Refuses the cells of another home. A first start that was killed may be repeated, and has no devices. */
async function refuseUsedCells({ home, cells }: CellsLayout): Promise<void> {
  for (const [place, store] of cells.entries()) {
    if ((await store.cell.keyCheck()) === null) continue;
    const devices = await store.devices.list({ ownerId: null, after: "", limit: 1 });
    // Another process may have started this gateway meanwhile.
    if (devices.length > 0 && (await readCellCount(home)) === null) {
      throw new WrongCellsError(
        `cells: the store at place ${place} has devices, but the home is empty. Give the home that belongs to the cells.`,
        place,
      );
    }
  }
}

/**
 * Creates `keepKeyCheck`. Each cell keeps a random id, its place and the number of cells. The home keeps the ids with the
 * value. So a gateway with another number of cells, with cells in another order, or with an empty store instead of a cell
 * does not start. The cells come first, so a start that is killed can be repeated.
 */
export function createLayoutCheck({ home, cells }: CellsLayout): GatewayStore["keepKeyCheck"] {
  return async (value) => {
    const found = await readCellCount(home);
    if (found !== null && found !== cells.length) throw toNumberError(found, cells.length);
    if (found === null) await refuseUsedCells({ home, cells });
    const ids: string[] = [];
    // One after the other, so that a wrong cell at an early place leaves the later ones unchanged.
    for (const [place, cell] of cells.entries()) {
      const mark = await cell.keepKeyCheck(writeCellMark(crypto.randomUUID(), place, cells.length));
      ids.push(toCellId(mark, place, cells.length));
    }
    const kept = parseHomeMark(await home.keepKeyCheck(writeHomeMark({ value, ids })));
    compareIds(kept.ids, ids);
    return kept.value;
  };
}
