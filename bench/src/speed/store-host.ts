import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { startPostgresHost } from "./postgres-host.js";
import type { StoreKind, StorePlace } from "./store-place.js";

/** Makes places for stores of one kind. */
export interface StoreHost {
  readonly kind: StoreKind;
  /** An empty place. */
  newPlace(name: string): Promise<StorePlace>;
  /** A copy of what is kept at a place that nobody has open. */
  copyPlace(from: StorePlace, name: string): Promise<StorePlace>;
  /** CPU of the database's own processes so far, in µs; 0 where the servers themselves are the database. */
  cpuUs(): number;
  /** How large what is kept there is on disk. */
  bytesAt(place: StorePlace): Promise<number>;
  close(): Promise<void>;
}

function createSqliteHost(folder: string): StoreHost {
  const placeOf = (name: string) => ({ kind: "sqlite" as const, file: join(folder, `${name}.db`) });
  return {
    kind: "sqlite",
    newPlace: async (name) => placeOf(name),
    async copyPlace(from, name) {
      const to = placeOf(name);
      if (from.kind === "sqlite") copyFileSync(from.file, to.file);
      return to;
    },
    cpuUs: () => 0,
    bytesAt: async (place) => (place.kind === "sqlite" ? statSync(place.file).size : Number.NaN),
    close: async () => {},
  };
}

/** Starts what the stores of a kind need: a folder of files for SQLite, a server for Postgres. */
export const startStoreHost = async (
  kind: StoreKind,
  folder: string,
  databaseUrl?: string,
): Promise<StoreHost> =>
  kind === "sqlite" ? createSqliteHost(folder) : startPostgresHost(databaseUrl);
