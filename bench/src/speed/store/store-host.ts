import type { StoreKind, StorePlace } from "./store-place.js";

/** Time of a statement in the database so far, in µs by the clock. */
export interface StatementTime {
  readonly text: string;
  readonly calls: number;
  readonly planningUs: number;
  readonly runningUs: number;
}

/** Creates places for stores of one kind. */
export interface StoreHost {
  readonly kind: StoreKind;
  /** Creates an empty place. */
  newPlace(name: string): Promise<StorePlace>;
  /** Copies a place without cells. Nobody may have it open. */
  copyPlace(from: StorePlace, name: string): Promise<StorePlace>;
  /** CPU of the database's own processes so far, in µs. 0 on SQLite, which runs in the server. */
  cpuUs(): number;
  /** Times of the database's statements so far. Empty if they are not tracked. */
  statementTimes(): Promise<readonly StatementTime[]>;
  /** Size of a place on disk, in bytes, all its databases together. */
  bytesAt(place: StorePlace): Promise<number>;
  close(): Promise<void>;
}

/** Options of the Postgres server. */
export interface DatabaseServer {
  /** URL of a superuser. Default: the run starts its own server. */
  readonly databaseUrl?: string | undefined;
  /** Whether the run's own server tracks the times of its statements. */
  readonly tracksStatements?: boolean;
}
