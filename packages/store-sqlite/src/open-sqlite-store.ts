import type { GatewayStore, Logger } from "@device-gateway/core/store";
import { createAlertStore } from "./alert/alert-store.js";
import { createCommandStore } from "./commands/command-store.js";
import { createChangeFeed } from "./database/change-feed.js";
import { type InTransaction, openConnection } from "./database/connection.js";
import type { SqliteDriver } from "./database/database.js";
import { createFreePages } from "./database/free-pages.js";
import { openWalSync } from "./database/wal-sync.js";
import { createBudgetStore } from "./device/budget-store.js";
import { createClaimStore } from "./device/claim-store.js";
import { createConfigStore } from "./device/config-store.js";
import { createDeviceStore } from "./device/device-store.js";
import { createKeyCheck } from "./device/key-check.js";
import { createMetadataStore } from "./device/metadata-store.js";
import { createSecurityEventStore } from "./device/security-event-store.js";
import { createFollowerStore } from "./followers/follower-store.js";
import { createOtaEventStore } from "./ota/ota-event-store.js";
import { createReleaseStore } from "./ota/release-store.js";
import { createUpdateStore } from "./ota/update-store.js";
import { createMetricStore } from "./telemetry/metric-store.js";
import { createRefusalStore } from "./telemetry/refusal-store.js";
import { createErasedDataDeletion } from "./telemetry/retention/erased-data-deletion.js";
import { createTelemetryStore } from "./telemetry/telemetry-store.js";
import { createWebhookStore } from "./webhooks/webhook-store.js";

export interface SqliteStoreOptions {
  /**
   * Path of the database file. The file is created if it is missing; the folder must exist.
   * `:memory:` keeps the data until the store is closed.
   */
  readonly file: string;
  /**
   * Receives messages about migrations, file systems without write-ahead log, and failed deletions
   * of erased data.
   */
  readonly logger?: Logger;
  /** Called in the transaction of each registration, claim, release and publication. */
  readonly inTransaction?: InTransaction;
  /** The SQLite to use: `betterSqlite3` (default), `nodeSqlite` (Node 24 or later, Deno) or `bunSqlite`. */
  readonly driver?: SqliteDriver;
}

/**
 * Opens a store in a SQLite file and migrates the schema. Use one server process per file: a second
 * process is safe but slow.
 * @throws {TypeError} if `file` is not a path.
 * @throws {Error} if the file belongs to another program or has a newer schema, or the driver cannot sync fully.
 * @throws {StoreUnavailableError} if another process holds the lock for 10 seconds.
 *
 * @example
 * const store = await openSqliteStore({ file: "gateway.db" });
 * const gateway = await createGateway({ store, secrets, ...onNode });
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<GatewayStore> {
  const { file, logger, driver, inTransaction } = options;
  // For an empty path, SQLite creates a temporary database and deletes it on close.
  if (typeof file !== "string" || file.trim() === "") {
    throw new TypeError(
      'file: give the path of the database, such as "gateway.db"; ":memory:" keeps nothing.',
    );
  }
  const connection = await openConnection(file, logger, openWalSync, inTransaction, driver);
  const deleteErasedData = createErasedDataDeletion(connection, logger);
  return {
    devices: createDeviceStore(connection, deleteErasedData),
    claims: createClaimStore(connection, deleteErasedData),
    config: createConfigStore(connection),
    metadata: createMetadataStore(connection),
    metrics: createMetricStore(connection),
    commands: createCommandStore(connection),
    telemetry: createTelemetryStore(
      connection,
      deleteErasedData,
      createFreePages(connection, logger),
    ),
    refusals: createRefusalStore(connection),
    budgets: createBudgetStore(connection),
    otaEvents: createOtaEventStore(connection),
    updates: createUpdateStore(connection),
    releases: createReleaseStore(connection),
    alerts: createAlertStore(connection),
    securityEvents: createSecurityEventStore(connection),
    changes: createChangeFeed(connection),
    followers: createFollowerStore(connection),
    webhooks: createWebhookStore(connection),
    keepKeyCheck: createKeyCheck(connection),
    // Takes the write lock without changing anything: a process that can read may be unable to
    // write.
    ping: () => connection.write(() => void connection.database.pragma("user_version")),
    close: () => connection.close(),
  };
}
