import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, inject } from "vitest";
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from "../open-postgres-store.js";
import { openSharedDatabase, type SharedDatabase } from "./shared-database.js";

export interface StoreAndClient {
  readonly store: PostgresStore;
  /** Another connection to the database. It inspects tables, and holds locks as long as the test wants. */
  readonly other: Client;
  readonly url: string;
}

export interface StoreAndClientOptions extends Pick<PostgresStoreOptions, "logger" | "poolSize"> {
  /** Default: opens a database on the server of the run. */
  readonly openDatabase?: () => Promise<SharedDatabase>;
}

/** Registers hooks that open a store and a client on an empty database before each test, and close both after it. */
export function useStoreAndClient(
  prepare: (opened: StoreAndClient) => Promise<void> | void,
  {
    openDatabase = () => openSharedDatabase(inject("postgresUrl")),
    poolSize = 4,
    ...options
  }: StoreAndClientOptions = {},
): void {
  let database: SharedDatabase;
  let opened: StoreAndClient;
  beforeAll(async () => {
    database = await openDatabase();
  });
  beforeEach(async () => {
    await database.empty();
    const { url } = database;
    const store = await openPostgresStore({ url, poolSize, ...options });
    const other = new Client({ connectionString: url });
    await other.connect();
    opened = { store, other, url };
    await prepare(opened);
  });
  afterEach(async () => {
    await opened.other.end();
    await opened.store.close();
  });
  afterAll(() => database.remove());
}
