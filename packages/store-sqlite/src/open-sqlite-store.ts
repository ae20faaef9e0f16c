import type { GatewayStore, Logger } from "@device-gateway/core/store";
import { createChangeFeed } from "./database/change-feed.js";
import { openConnection } from "./database/connection.js";
import { createBudgetStore } from "./device/budget-store.js";
import { createClaimStore } from "./device/claim-store.js";
import { createConfigStore } from "./device/config-store.js";
import { createDeviceStore } from "./device/device-store.js";
import { createSecurityEventStore } from "./device/security-event-store.js";
import { createOtaEventStore } from "./ota/ota-event-store.js";
import { createReleaseStore } from "./ota/release-store.js";
import { createUpdateStore } from "./ota/update-store.js";
import { createErasedClearing } from "./telemetry/erased-data-deletion.js";
import { createTelemetryStore } from "./telemetry/telemetry-store.js";

export interface SqliteStoreOptions {
  /**
   * Path of the database; created when it is missing, in a folder that exists. `:memory:` keeps
   * everything until it is closed, and nothing after.
   */
  readonly file: string;
  /** Hears of migrations, of file systems without a write-ahead log, and of what can't be cleared away. */
  readonly logger?: Logger;
}

/**
 * Opens a store in one SQLite file and brings its schema up to date: one server process a file, a
 * second process is safe but slow. Waits up to 10 seconds for another process's lock, then rejects
 * with `StoreUnavailableError`; rejects files of other programs and of newer versions.
 * @throws {TypeError} when `file` is no path.
 */
export async function openSqliteStore({ file, logger }: SqliteStoreOptions): Promise<GatewayStore> {
  // SQLite takes a path that is missing for a database that it throws away.
  if (typeof file !== "string" || file.trim() === "") {
    throw new TypeError(
      'file: give the path of the database, such as "gateway.db"; ":memory:" keeps nothing.',
    );
  }
  const connection = await openConnection(file, logger);
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
    securityEvents: createSecurityEventStore(connection),
    changes: createChangeFeed(connection),
    // Takes the write lock and changes nothing: who can read may still be unable to write.
    ping: () => connection.write(() => void connection.database.pragma("user_version")),
    close: () => connection.close(),
  };
}
