import { templateName } from "./migrated-database.js";
import { findCitusBinaries } from "./postgres-binaries.js";
import { type PostgresServer, startPostgresServer } from "./postgres-server.js";
import { dropDatabase, joinNodes } from "./temporary-database.js";

/** A coordinator with two workers. */
export interface CitusServers {
  /** Connection URL of the coordinator, as a superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Servers that this process started, so that it can kill them. */
export interface StartedCitus extends CitusServers {
  readonly coordinator: PostgresServer;
  readonly workers: readonly PostgresServer[];
}

const settings = {
  shared_preload_libraries: "citus",
  // A schema is moved by logical replication.
  wal_level: "logical",
  max_prepared_transactions: "200",
  // Citus asks for TLS unless told otherwise.
  "citus.node_conninfo": "sslmode=disable",
  "citus.enable_statistics_collection": "off",
};

const howToGetIt = "set TEST_CITUS_URL, or install Citus for the Postgres of this machine";

/** Why tests on Citus are skipped. Undefined if they can run. */
export const whyNoCitus =
  process.env.TEST_CITUS_URL || findCitusBinaries() ? undefined : `found no Citus: ${howToGetIt}`;

/** Returns the servers of `TEST_CITUS_URL`, or starts three. */
export async function openCitusServers(): Promise<CitusServers> {
  const configured = process.env.TEST_CITUS_URL;
  if (!configured) return startCitusServers();
  return { url: configured, stop: () => dropDatabase(configured, templateName) };
}

/** Starts three servers. Throws if no installed Postgres has Citus. */
export async function startCitusServers(): Promise<StartedCitus> {
  const binaries = findCitusBinaries();
  if (binaries === undefined) throw new Error(`Found no Citus. To run the tests, ${howToGetIt}.`);
  const start = () => startPostgresServer(settings, binaries);
  const [coordinator, ...workers] = (await Promise.all([start(), start(), start()])) as [
    PostgresServer,
    ...PostgresServer[],
  ];
  const urls = workers.map(({ url }) => url);
  await joinNodes(coordinator.url, urls);
  return {
    ...{ url: coordinator.url, coordinator, workers },
    async stop() {
      await Promise.all([coordinator, ...workers].map((server) => server.stop()));
    },
  };
}
