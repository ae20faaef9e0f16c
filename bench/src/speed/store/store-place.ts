import { silentLogger } from "@device-gateway/core";
import type { GatewayStore } from "@device-gateway/core/store";
import { openPostgresStore } from "@device-gateway/store-postgres";
import { openSqliteStore } from "@device-gateway/store-sqlite";
import { openCells } from "../../../../examples/server/src/data/open-cells.js";

interface PostgresPlace {
  readonly kind: "postgres";
  readonly url: string;
  /** The database of each cell. `url` is then the home. Default: no cells. */
  readonly cells?: readonly string[];
}

/** Where a store keeps its data. Plain data, so that it can be sent to another process. */
export type StorePlace = { readonly kind: "sqlite"; readonly file: string } | PostgresPlace;

export type StoreKind = StorePlace["kind"];
export const storeKinds: readonly string[] = ["sqlite", "postgres"] satisfies StoreKind[];

/** Returns the URLs of a place's databases. */
export const databasesOf = (place: StorePlace): readonly string[] =>
  place.kind === "postgres" ? [...new Set([place.url, ...(place.cells ?? [])])] : [];

export async function openPlace(place: StorePlace): Promise<GatewayStore> {
  if (place.kind === "sqlite") return openSqliteStore({ file: place.file });
  const { url, cells } = place;
  if (cells === undefined) return openPostgresStore({ url });
  const places = { url, count: cells.length, cellUrls: new Map(cells.entries()) };
  return (await openCells(places, { logger: silentLogger })).store;
}
