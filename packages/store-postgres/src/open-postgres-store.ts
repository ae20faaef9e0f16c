import type { ArtifactStore, GatewayStore, Logger } from "@device-gateway/core/store";
import { createChangeFeed } from "./database/change-feed.js";
import { checkServer } from "./database/check-server.js";
import { checkUrl } from "./database/check-url.js";
import { checkWritable } from "./database/check-writable.js";
import { openConnection } from "./database/connection.js";
import { createBudgetStore } from "./device/budget-store.js";
import { createClaimStore } from "./device/claim-store.js";
import { createConfigStore } from "./device/config-store.js";
import { createDeviceStore } from "./device/device-store.js";
import { createSecurityEventStore } from "./device/security-event-store.js";
import { migratePostgres } from "./migrations/migrate.js";
import { createArtifactStore } from "./ota/artifact-store.js";
import { createOtaEventStore } from "./ota/ota-event-store.js";
import { createReleaseStore } from "./ota/release-store.js";
import { createUpdateStore } from "./ota/update-store.js";
import { createErasedDataDeletion } from "./telemetry/erased-data-deletion.js";
import { createTelemetryStore } from "./telemetry/telemetry-store.js";

export interface PostgresStoreOptions {
  /**
   * Connection URL of a database on Postgres 14 or later, such as
   * `postgres://user:password@host/name`.
   */
  readonly url: string;
  /** The maximum number of connections of this process. Default: 10. */
  readonly poolSize?: number;
  /**
   * Receives messages about migrations, ended connections, failed deletions, and a server that may
   * lose committed data.
   */
  readonly logger?: Logger;
}

/**
 * A gateway store that also keeps firmware images, so that a fleet of servers needs no shared disk.
 */
export interface PostgresStore extends GatewayStore {
  readonly artifacts: ArtifactStore;
}

/**
 * Opens a store in the schema `device_gateway` of a Postgres database and migrates the schema. Any
 * number of processes can share a database.
 * @throws {TypeError} if `url` is not a Postgres URL.
 * @throws {Error} if the schema belongs to another program or is newer, or `poolSize` is invalid.
 * @throws {StoreUnavailableError} if the server does not answer or another process migrates for 10
 * seconds; at once if nothing listens.
 */
export async function openPostgresStore({
  url,
  poolSize = 10,
  logger,
}: PostgresStoreOptions): Promise<PostgresStore> {
  checkUrl(url);
  if (!Number.isSafeInteger(poolSize) || poolSize < 1) {
    throw new Error("poolSize must be a whole number of 1 or more.");
  }
  const connection = await openConnection({ url, poolSize, logger });
  try {
    await connection.read((session) => checkServer(session, logger));
    const { from, to } = await migratePostgres({ url });
    if (from !== to) logger?.info({ from, to }, "Migrated the Postgres schema");
  } catch (error) {
    await connection.close();
    throw error;
  }
  const deleteErasedData = createErasedDataDeletion(connection, logger);
  return {
    devices: createDeviceStore(connection, deleteErasedData),
    claims: createClaimStore(connection),
    config: createConfigStore(connection),
    telemetry: createTelemetryStore(connection, deleteErasedData),
    budgets: createBudgetStore(connection),
    otaEvents: createOtaEventStore(connection),
    updates: createUpdateStore(connection),
    releases: createReleaseStore(connection),
    artifacts: createArtifactStore(connection, logger),
    securityEvents: createSecurityEventStore(connection),
    changes: createChangeFeed(connection),
    ping: () => connection.read(checkWritable),
    close: () => connection.close(),
  };
}
