import type { SecurityEventStore } from "../audit/security-event-store.js";
import type { BudgetStore } from "../budget/budget-store.js";
import type { ChangeFeed } from "../change/change-feed.js";
import type { ClaimStore } from "../claim/claim-store.js";
import type { ConfigStore } from "../config/config-store.js";
import type { DeviceStore } from "../device/device-store.js";
import type { ReleaseStore } from "../ota/release/release-store.js";
import type { OtaEventStore } from "../ota/update/ota-event-store.js";
import type { UpdateStore } from "../ota/update/update-store.js";
import type { TelemetryStore } from "../telemetry/telemetry-store.js";

/**
 * Everything that a gateway keeps: one port an aggregate. Methods reject with
 * `StoreUnavailableError` when the storage can't answer now. Whoever opens a store closes it.
 */
export interface GatewayStore {
  readonly devices: DeviceStore;
  readonly claims: ClaimStore;
  readonly config: ConfigStore;
  readonly telemetry: TelemetryStore;
  readonly budgets: BudgetStore;
  readonly otaEvents: OtaEventStore;
  readonly updates: UpdateStore;
  readonly releases: ReleaseStore;
  readonly securityEvents: SecurityEventStore;
  readonly changes: ChangeFeed;
  /** Resolves when the storage answers, and takes writes. */
  ping(): Promise<void>;
  /**
   * Waits for what is under way and lets go of the storage; again, it does nothing. Afterwards
   * every other method rejects with `StoreUnavailableError`.
   */
  close(): Promise<void>;
}
