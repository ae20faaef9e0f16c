import type { AlertStore } from "../alert/alert-store.js";
import type { SecurityEvent } from "../audit/security-event.js";
import type { SecurityEventStore } from "../audit/security-event-store.js";
import type { BudgetStore } from "../budget/budget-store.js";
import type { ChangeFeed } from "../change/change-feed.js";
import type { ClaimStore } from "../claim/claim-store.js";
import type { CommandStore } from "../commands/command-store.js";
import type { ConfigStore } from "../config/config-store.js";
import type { DeviceStore } from "../device/device-store.js";
import type { FollowerStore } from "../followers/follower-store.js";
import type { MetadataStore } from "../metadata/metadata-store.js";
import type { MetricStore } from "../metrics/metric-store.js";
import type { ReleaseStore } from "../ota/release/release-store.js";
import type { OtaEventStore } from "../ota/update/ota-event-store.js";
import type { UpdateStore } from "../ota/update/update-store.js";
import type { RefusalStore } from "../refusal/refusal-store.js";
import type { TelemetryReads, TelemetryStore } from "../telemetry/telemetry-store.js";
import type { WebhookStore } from "../webhooks/webhook-store.js";

/** The reads of history, exports and release counts. They may come from a copy of the storage that is behind. */
export interface GatewayReads {
  readonly telemetry: TelemetryReads;
  readonly updates: Pick<UpdateStore, "counts">;
  /**
   * The reads have everything that was stored until this long before `openReads` resolved, in milliseconds. Null: the
   * reads are those of the storage itself.
   */
  readonly lagMs: number | null;
}

/**
 * Everything that a gateway stores, with one port for each aggregate. Methods reject with `StoreUnavailableError`
 * if the storage cannot answer at the moment. The program that opens a store closes it.
 */
export interface GatewayStore {
  readonly devices: DeviceStore;
  readonly claims: ClaimStore;
  readonly config: ConfigStore;
  readonly metadata: MetadataStore;
  readonly metrics: MetricStore;
  readonly commands: CommandStore;
  readonly telemetry: TelemetryStore;
  readonly refusals: RefusalStore;
  readonly budgets: BudgetStore;
  readonly otaEvents: OtaEventStore;
  readonly updates: UpdateStore;
  readonly releases: ReleaseStore;
  readonly alerts: AlertStore;
  readonly securityEvents: SecurityEventStore;
  readonly changes: ChangeFeed;
  readonly followers: FollowerStore;
  readonly webhooks: WebhookStore;
  /**
   * Begins the reads of one response. A store without copies does not have this method. A device that the storage
   * itself does not know has no records here. A device never gets the records of an erased device that had its id,
   * whatever a copy contains.
   */
  readonly openReads?: () => Promise<GatewayReads>;
  /**
   * Completes what a store of several databases could not write in one transaction: it copies changed releases and rules,
   * and halts releases whose updates fail too often in all databases together. Returns the events of the releases that
   * this call halted. If calls are concurrent, one of them halts a release. A database that does not answer is left out.
   * Stores that halt in `UpdateStore.report` do not have this method. The gateway calls it at least once a second while requests arrive, and in
   * `maintain`.
   */
  readonly settle?: (input: {
    readonly toleratedShare: number;
    readonly now: number;
  }) => Promise<readonly SecurityEvent[]>;
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
