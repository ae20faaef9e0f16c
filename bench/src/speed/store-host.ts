import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { startPostgresHost } from "./postgres-host.js";
import type { StoreKind, StorePlace } from "./store-place.js";

/** What a statement took in the database so far, in µs by the clock. */
export interface StatementTime {
  readonly text: string;
  readonly calls: number;
  readonly planningUs: number;
  readonly runningUs: number;
}

/** Makes places for stores of one kind. */
export interface StoreHost {
  readonly kind: StoreKind;
  /** An empty place. */
  newPlace(name: string): Promise<StorePlace>;
  /** A copy of what is kept at a place that nobody has open. */
  copyPlace(from: StorePlace, name: string): Promise<StorePlace>;
  /** CPU of the database's own processes so far, in µs; 0 where the servers themselves are the database. */
  cpuUs(): number;
  /** What the database's statements took so far; none where nobody keeps account of them. */
  statementTimes(): Promise<readonly StatementTime[]>;
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
    statementTimes: async () => [],
    bytesAt: async (place) => (place.kind === "sqlite" ? statSync(place.file).size : Number.NaN),
    close: async () => {},
  };
}

/** A server for Postgres. */
export interface DatabaseServer {
  /** Of a superuser. Default: a server of the run's own. */
  readonly databaseUrl?: string | undefined;
  /** Whether the run's own keeps account of its statements. */
  readonly isAccounting?: boolean;
}

/** Starts what the stores of a kind need: a folder of files for SQLite, a server for Postgres. */
export const startStoreHost = async (
  kind: StoreKind,
  folder: string,
  server: DatabaseServer = {},
): Promise<StoreHost> => (kind === "sqlite" ? createSqliteHost(folder) : startPostgresHost(server));
