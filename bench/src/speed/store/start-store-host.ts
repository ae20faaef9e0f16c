import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { startPostgresHost } from "./postgres-host.js";
import type { DatabaseServer, StoreHost } from "./store-host.js";
import type { StoreKind } from "./store-place.js";

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
    statementTimes: async () => [],
    bytesAt: async (place) => (place.kind === "sqlite" ? statSync(place.file).size : Number.NaN),
    close: async () => {},
  };
}

/** Starts the host of a kind of store: a folder of files for SQLite, a server for Postgres. */
export const startStoreHost = async (
  kind: StoreKind,
  folder: string,
  server: DatabaseServer = {},
): Promise<StoreHost> => (kind === "sqlite" ? createSqliteHost(folder) : startPostgresHost(server));
