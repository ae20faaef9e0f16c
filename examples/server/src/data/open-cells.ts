import type { ArtifactStore, GatewayStore, Logger } from "@device-gateway/core";
import {
  checkCells,
  createCellsStore,
  readCellCount,
  WrongCellsError,
} from "@device-gateway/store-cells";
import {
  openPostgresStores,
  type PostgresStore,
  type PostgresStoresOptions,
} from "@device-gateway/store-postgres";
import { StartError, toStartError } from "../start-error.js";

/** Where the home and the cells are. */
export interface CellPlaces {
  /** The database of the home, and of each cell that has no other one. */
  readonly url: string;
  /** The number of cells. */
  readonly count: number;
  /** The databases of other cells. */
  readonly cellUrls: ReadonlyMap<number, string>;
}

type Options = Omit<PostgresStoresOptions, "url" | "schemas"> & { readonly logger: Logger };

/** The schema of the home. It is that of a gateway without cells, so that neither starts on the other's database. */
export const homeSchema = "device_gateway";
/** The schema of a cell. */
export const schemaOf = (cell: number) => `${homeSchema}_cell_${cell}`;

/** Throws if the gateway was created with another number of cells. 1 stands for a gateway without cells. */
export async function refuseOtherCount(home: PostgresStore, count: number): Promise<void> {
  const stored = await readCellCount(home);
  if (stored === null) return;
  const created = Math.max(1, stored);
  if (created === count) return;
  const advice =
    created === 1
      ? "Split it with the command `cells split` (docs/runbook.md), or set DATABASE_CELLS=1."
      : `The number of cells never changes: set DATABASE_CELLS=${created}, or use an empty database.`;
  throw new StartError(
    `The database was created with DATABASE_CELLS=${created}, and DATABASE_CELLS is ${count}. ${advice}`,
  );
}

const explainWrongCell = ({ url, cellUrls }: CellPlaces, cell: number, cause: WrongCellsError) =>
  new StartError(
    `The schema ${schemaOf(cell)} in ${(cellUrls.get(cell) ?? url) === url ? "DATABASE_URL" : "the database that DATABASE_CELL_URLS names for it"} is empty or belongs to another gateway, so the devices of cell ${cell} are elsewhere. Correct DATABASE_CELL_URLS.`,
    { cause },
  );

/** Returns the cells of each database. The home's database comes first. */
function groupByUrl({ url, count, cellUrls }: CellPlaces): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>([[url, []]]);
  for (let cell = 0; cell < count; cell++) {
    const place = cellUrls.get(cell) ?? url;
    groups.set(place, [...(groups.get(place) ?? []), cell]);
  }
  return groups;
}

/** Opens the stores of one database, over one pool. */
async function openDatabase(
  places: CellPlaces,
  [url, cells]: readonly [string, readonly number[]],
  options: Options,
): Promise<readonly PostgresStore[]> {
  const isHome = url === places.url;
  const schemas = [...(isHome ? [homeSchema] : []), ...cells.map(schemaOf)];
  try {
    return await openPostgresStores({ ...options, url, schemas });
  } catch (error) {
    if (isHome) throw error;
    const advice = "Fix that, or correct DATABASE_CELL_URLS.";
    throw toStartError(`The database of cell ${cells.join(", ")}`, error, advice);
  }
}

/**
 * Opens the home and its cells. Creates their schemas if the home is new.
 * @throws {StartError} if the gateway was created with other cells, or the database of a cell cannot be used.
 */
export async function openCells(
  places: CellPlaces,
  options: Options,
): Promise<{ readonly store: GatewayStore; readonly artifacts: ArtifactStore }> {
  // A wrong number must not create schemas, so the home is opened alone first.
  const [alone] = await openPostgresStores({
    ...{ ...options, poolSize: 1 },
    ...{ url: places.url, schemas: [homeSchema] },
  });
  if (alone === undefined) throw new Error("There is no home.");
  await refuseOtherCount(alone, places.count).finally(() => alone.close());
  const stores = new Map<number | "home", PostgresStore>();
  try {
    for (const [url, cells] of groupByUrl(places)) {
      const names = url === places.url ? (["home", ...cells] as const) : cells;
      const opened = await openDatabase(places, [url, cells], options);
      for (const [n, store] of opened.entries()) stores.set(names[n] as number | "home", store);
    }
    const home = stores.get("home") as PostgresStore;
    const cells = Array.from({ length: places.count }, (_, n) => stores.get(n) as PostgresStore);
    await checkCells({ home, cells });
    const store = createCellsStore({ home, cells, logger: options.logger });
    return { store, artifacts: home.artifacts };
  } catch (error) {
    await Promise.all([...stores.values()].map((store) => store.close()));
    if (!(error instanceof WrongCellsError) || error.place === undefined) throw error;
    throw explainWrongCell(places, error.place, error);
  }
}
