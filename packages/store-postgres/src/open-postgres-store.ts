import type { ArtifactStore, CellStore, Logger } from "@device-gateway/core/store";
import type { Pool } from "pg";
import { createAlertStore } from "./alert/alert-store.js";
import { createCellPort } from "./cell-port.js";
import { createCommandStore } from "./commands/command-store.js";
import { createChangeFeed, type PollFeed } from "./database/changes/change-feed.js";
import { createLineageWatch } from "./database/changes/lineage.js";
import { checkServer } from "./database/connection/check-server.js";
import { checkUrl } from "./database/connection/check-url.js";
import { checkWritable } from "./database/connection/check-writable.js";
import type { CommitsInDoubt } from "./database/connection/commits-in-doubt.js";
import {
  type Connection,
  type ConnectionOptions,
  type InTransaction,
  openConnection,
  shareConnection,
} from "./database/connection/connection.js";
import { connectSafely } from "./database/connection/pool.js";
import { toStoreError } from "./database/connection/store-errors.js";
import { checkSchemaName, defaultSchema } from "./database/schema-name.js";
import { createBudgetStore } from "./device/budget-store.js";
import { createClaimStore } from "./device/claim-store.js";
import { createConfigStore } from "./device/config-store.js";
import { createDeviceStore } from "./device/device-store.js";
import { createErasedRowsDeletion } from "./device/erased-rows-deletion.js";
import { createKeyCheck } from "./device/key-check.js";
import { createMetadataStore } from "./device/metadata-store.js";
import { createSecurityEventStore } from "./device/security-event-store.js";
import { createFollowerStore } from "./followers/follower-store.js";
import { type MigrateOutcome, migrateOn, migratePostgres } from "./migrations/migrate.js";
import { createArtifactStore } from "./ota/artifact-store.js";
import { createOtaEventStore } from "./ota/ota-event-store.js";
import { createReleaseStore } from "./ota/release-store.js";
import { createUpdateStore } from "./ota/update-store.js";
import { createReads } from "./replica/open-reads.js";
import { openReadReplica, type ReadReplica } from "./replica/read-replica.js";
import type { StartCommit } from "./telemetry/append/commit-turns.js";
import { createMetricStore } from "./telemetry/metric-store.js";
import { createRefusalStore } from "./telemetry/refusal-store.js";
import { createErasedDataDeletion } from "./telemetry/retention/erased-data-deletion.js";
import { createTelemetryCaches } from "./telemetry/telemetry-caches.js";
import { createTelemetryStore } from "./telemetry/telemetry-store.js";
import { createWebhookStore } from "./webhooks/webhook-store.js";

/** Where the database is: Postgres 14 or later. */
export type PostgresSource =
  | {
      /** Connection URL, such as `postgres://user:password@host/name`. */
      readonly url: string;
      /** The maximum number of connections of this process. Default: 10. */
      readonly poolSize?: number;
      readonly pool?: undefined;
    }
  | {
      /** Your own pool of the package `pg` 8. The store never ends it, so close the store first. */
      readonly pool: Pool;
      readonly url?: undefined;
      readonly poolSize?: undefined;
    };

export type PostgresStoreOptions = PostgresSource & {
  /**
   * The schema: 1 to 63 lower-case letters, digits and underscores. Default: `device_gateway`. Gateways in different
   * schemas of a database share nothing.
   */
  readonly schema?: string;
  /**
   * Receives messages about migrations, ended connections, failed deletions, and a server that may
   * lose committed data.
   */
  readonly logger?: Logger;
  /**
   * Declares that a synchronous standby takes over if the server fails. Opening then fails if `synchronous_commit` is
   * below `on` or `synchronous_standby_names` is empty. Default: false, which logs a warning if there are standbys.
   */
  readonly synchronousStandby?: boolean;
  /**
   * Connection URL of a streaming replica. While it follows this database and is not too far behind, it answers
   * history, exports and the counts of a release (`openReads`), over as many connections as `poolSize`. Default: none.
   */
  readonly readUrl?: string;
  /** How far the replica may be behind, in milliseconds. Beyond this, the primary answers. At least 1,000. Default: 10,000. */
  readonly maxReadLagMs?: number;
  /** Called in the transaction of each registration, claim, release and publication. */
  readonly inTransaction?: InTransaction;
};

/**
 * A gateway store that also keeps firmware images, so that a fleet of servers needs no shared disk.
 */
export interface PostgresStore extends CellStore {
  readonly artifacts: ArtifactStore;
}

function toSource({ url, pool, poolSize = 10 }: PostgresSource): ConnectionOptions["source"] {
  if (pool !== undefined) {
    if (typeof pool.connect === "function" && typeof pool.on === "function") return { pool };
    throw new TypeError("pool: pass a Pool of the package pg, or a url instead.");
  }
  checkUrl(url);
  if (!Number.isSafeInteger(poolSize) || poolSize < 1) {
    throw new Error("poolSize must be a whole number of 1 or more.");
  }
  return { url, poolSize };
}

type ReplicaOptions = Pick<PostgresStoreOptions, "readUrl" | "maxReadLagMs" | "poolSize">;

/** Opens the replica without connecting, because the gateway also works without it. */
function toReplica(
  { readUrl, maxReadLagMs: boundMs = 10_000, poolSize = 10 }: ReplicaOptions,
  {
    connection,
    schema,
    logger,
  }: Pick<ConnectionOptions, "schema" | "logger"> & {
    readonly connection: Connection;
  },
): ReadReplica | undefined {
  if (readUrl === undefined) return undefined;
  const source = { url: readUrl, poolSize };
  const replica = shareConnection({ source, schema, logger, name: "device-gateway replica" });
  return openReadReplica({ primary: connection, replica, boundMs, logger });
}

function checkReplica({ readUrl, maxReadLagMs = 10_000 }: ReplicaOptions): void {
  if (readUrl !== undefined) checkUrl(readUrl);
  if (Number.isSafeInteger(maxReadLagMs) && maxReadLagMs >= 1_000) return;
  throw new Error("maxReadLagMs must be a whole number of 1000 or more.");
}

/** Migrates over a connection of the embedder's pool. */
async function migrateOver(pool: Pool, schema: string): Promise<MigrateOutcome> {
  const client = await connectSafely(pool);
  try {
    return await migrateOn(client, schema);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    client.release();
  }
}

/**
 * Opens a store in a schema of a Postgres database and migrates the schema. Any number of processes
 * can share a database.
 * @throws {TypeError} if `url` is not a Postgres URL, `pool` is not a pool, or `schema` is not a
 * plain name.
 * @throws {Error} if the schema belongs to another program or is newer, `poolSize` is invalid, or commits do not wait for
 * the declared synchronous standby.
 * @throws {StoreUnavailableError} if the server does not answer or another process migrates for 10
 * seconds; at once if nothing listens.
 *
 * @example
 * const store = await openPostgresStore({ url: "postgres://gateway:…@db/gateway" });
 * const firmware = { keys, artifacts: store.artifacts };
 * const gateway = await createGateway({ store, secrets, firmware, ...onNode });
 */
export function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  return openStore(options);
}

/** What a store shares with other schemas of its database. */
export interface SharedWork {
  /** Makes the store's feed join a poll of all schemas. */
  readonly joinPoll: (alone: PollFeed) => PollFeed;
  readonly startCommit: StartCommit;
  readonly inDoubt: CommitsInDoubt;
}

/** Like `openPostgresStore`. `shared` is for a store that is one of several over one database. */
export async function openStore(
  {
    schema = defaultSchema,
    logger,
    inTransaction,
    synchronousStandby = false,
    ...options
  }: PostgresStoreOptions,
  shared?: SharedWork,
): Promise<PostgresStore> {
  checkSchemaName(schema);
  const source = toSource(options);
  checkReplica(options);
  const { inDoubt } = shared ?? {};
  const connection = await openConnection({ source, schema, logger, inTransaction, inDoubt });
  try {
    await connection.read((session) => checkServer(session, { synchronousStandby, logger }));
    const { from, to } =
      "url" in source
        ? await migratePostgres({ url: source.url, schema })
        : await migrateOver(source.pool, schema);
    if (from !== to) logger?.info({ from, to }, "Migrated the Postgres schema");
  } catch (error) {
    await connection.close();
    throw error;
  }
  const deleteErasedRows = createErasedRowsDeletion(connection, logger);
  const deleteErasedTelemetry = createErasedDataDeletion(connection, logger);
  const deleteErasedData = async () => {
    await Promise.all([deleteErasedTelemetry(), deleteErasedRows()]);
  };
  const lineages = createLineageWatch(logger);
  const caches = createTelemetryCaches(lineages, logger);
  const telemetry = createTelemetryStore(connection, caches, deleteErasedData, shared?.startCommit);
  const updates = createUpdateStore(connection);
  const replica = toReplica(options, { connection, schema, logger });
  const current = { telemetry, updates, lagMs: null };
  return {
    devices: createDeviceStore(connection, deleteErasedData),
    claims: createClaimStore(connection, deleteErasedRows),
    config: createConfigStore(connection),
    metadata: createMetadataStore(connection),
    metrics: createMetricStore(connection),
    commands: createCommandStore(connection),
    refusals: createRefusalStore(connection),
    telemetry,
    budgets: createBudgetStore(connection),
    otaEvents: createOtaEventStore(connection),
    updates,
    releases: createReleaseStore(connection),
    artifacts: createArtifactStore(connection, logger),
    alerts: createAlertStore(connection),
    securityEvents: createSecurityEventStore(connection),
    changes: createChangeFeed(connection, lineages, shared?.joinPoll),
    followers: createFollowerStore(connection),
    webhooks: createWebhookStore(connection),
    cell: createCellPort(connection),
    keepKeyCheck: createKeyCheck(connection),
    ping: () => connection.read(checkWritable),
    ...(replica && { openReads: createReads(connection, replica, caches.shapes, current) }),
    async close() {
      await replica?.close();
      await connection.close();
    },
  };
}
