import type { SecurityEventStore } from "../audit/security-event-store.js";
import type { BudgetStore } from "../budget/budget-store.js";
import type { ChangeFeed } from "../change/change-feed.js";
import type { ClaimStore } from "../claim/claim-store.js";
import type { ConfigStore } from "../config/config-store.js";
import type { DeviceStore } from "../device/device-store.js";
import type { FollowerStore } from "../followers/follower-store.js";
import type { MetadataStore } from "../metadata/metadata-store.js";
import type { ReleaseStore } from "../ota/release/release-store.js";
import type { OtaEventStore } from "../ota/update/ota-event-store.js";
import type { UpdateStore } from "../ota/update/update-store.js";
import type { RefusalStore } from "../refusal/refusal-store.js";
import type { TelemetryStore } from "../telemetry/telemetry-store.js";

/**
 * Everything that a gateway stores, with one port for each aggregate. Methods reject with `StoreUnavailableError`
 * if the storage cannot answer now. The program that opens a store closes it.
 */
export interface GatewayStore {
  readonly devices: DeviceStore;
  readonly claims: ClaimStore;
  readonly config: ConfigStore;
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly refusals: RefusalStore;
  readonly budgets: BudgetStore;
  readonly otaEvents: OtaEventStore;
  readonly updates: UpdateStore;
  readonly releases: ReleaseStore;
  readonly securityEvents: SecurityEventStore;
  readonly changes: ChangeFeed;
  readonly followers: FollowerStore;
  /**
   * Stores the value if none is stored yet, atomically. Returns the stored one. It is a keyed hash that shows whether a
   * gateway has the secrets of this storage.
   */
  keepKeyCheck(value: string): Promise<string>;
  /** Resolves if the storage answers and accepts writes. */
  ping(): Promise<void>;
  /**
   * Waits for running calls and closes the storage. A second call does nothing. Afterwards every other method rejects
   * with `StoreUnavailableError`.
   */
  close(): Promise<void>;
}
