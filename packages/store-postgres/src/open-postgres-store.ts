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
import { createErasedClearing } from "./telemetry/erased-data-deletion.js";
import { createTelemetryStore } from "./telemetry/telemetry-store.js";

export interface PostgresStoreOptions {
  /** Connection URL of a database of Postgres 14 or later, as `postgres://user:password@host/name`. */
  readonly url: string;
  /** Connections that this process opens at most. Default: 10. */
  readonly poolSize?: number;
  /**
   * Hears of migrations, of connections that end, of what could not be cleared away, and of a server
   * that forgets what it committed.
   */
  readonly logger?: Logger;
}

/** Everything that a gateway keeps, and its firmware images: a fleet needs no shared disk. */
export interface PostgresStore extends GatewayStore {
  readonly artifacts: ArtifactStore;
}

/**
 * Opens a store in the schema `device_gateway` of a Postgres database and brings it up to date; any
 * number of processes may share one. Waits up to 10 seconds for a server that answers nothing yet or
 * still starts, and for another process that is migrating, then rejects with `StoreUnavailableError`;
 * rejects at once when nothing listens there. Rejects schemas of other programs and of newer versions.
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
  const clearErased = createErasedClearing(connection, logger);
  return {
    devices: createDeviceStore(connection, clearErased),
    claims: createClaimStore(connection),
    config: createConfigStore(connection),
    telemetry: createTelemetryStore(connection, clearErased),
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
