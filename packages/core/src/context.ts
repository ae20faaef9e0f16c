import type { SecretHash } from "./auth/secret-hash.js";
import type { CachedDeviceTokens } from "./auth/token-cache.js";
import type { AttemptRefunds } from "./budget/attempt-refunds.js";
import type { CommandRules } from "./commands/command-rules.js";
import type { CommandWaiters } from "./commands/command-waiters.js";
import type { ConfigLayers } from "./config/config-layers.js";
import type { RegistrationPolicy } from "./device/decide-registration.js";
import type { DeviceCache } from "./device/device-cache.js";
import type { Presence } from "./device/presence.js";
import type { Announcer } from "./events/announcer.js";
import type { LiveFeed } from "./history/live-feed.js";
import type { OpenStreams } from "./history/open-streams.js";
import type { BeforeHooks } from "./hooks/before-hooks.js";
import type { Limits } from "./limits.js";
import type { MetadataRules } from "./metadata/metadata-rules.js";
import type { MetricRules } from "./metrics/metric-rules.js";
import type { Tracer } from "./observe/tracer.js";
import type { DownloadSlots } from "./ota/download/download-slots.js";
import type { Firmware } from "./ota/release/firmware-options.js";
import type { ReleaseCatalog } from "./ota/release/release-catalog.js";
import type { Clock } from "./ports/clock.js";
import type { GatewayStore } from "./ports/gateway-store.js";
import type { Logger } from "./ports/logger.js";
import type { Random } from "./ports/random.js";
import type { ScryptCost } from "./ports/slow-hash.js";
import type { Throttle } from "./ports/throttle.js";
import type { InTurn } from "./shared/in-turn.js";
import type { RestingTurns } from "./shared/resting-turns.js";
import type { FairSlowHash } from "./slow-hash/fair-slow-hash.js";
import type { AddressRanges } from "./throttle/address-ranges.js";
import type { WebhookManager } from "./webhooks/webhook-manager.js";

/** The embedder's choices, with defaults filled in. */
export interface Policies {
  readonly allowLegacyRegistration: boolean;
  readonly requireVerifiedEmail: boolean;
  readonly freshCodeAfterRelease: boolean;
  readonly randomClaimCodes: boolean;
  /** Null: logins do not rotate secrets. */
  readonly rotateSecretAfterSeconds: number | null;
  readonly before: BeforeHooks;
  readonly registrationPolicy: RegistrationPolicy;
  readonly summaryMetrics: readonly string[];
}

/** The state of a gateway's own lifecycle. */
export interface GatewayLifecycle {
  /** The gateway is about to stop. It serves requests, but `/readyz` returns 503. */
  retired: boolean;
  /** When the latest finished `maintain` began, in epoch milliseconds. Null: none has finished yet. */
  maintainedAt: number | null;
}

/** Everything that the use cases of one gateway need. */
export interface GatewayContext {
  readonly store: GatewayStore;
  /** Returns the number of store calls that this process waits for. */
  readonly storeCalls: () => number;
  readonly lifecycle: GatewayLifecycle;
  readonly deviceCache: DeviceCache;
  readonly releaseCatalog: ReleaseCatalog;
  readonly firmware: Firmware;
  readonly downloads: DownloadSlots;
  /** Begins the downloads of each device one after another, with rests. */
  readonly downloadTurns: RestingTurns;
  /** The URL of a download without the release's id. Null if no publicUrl is configured. */
  readonly downloadBase: string | null;
  readonly attemptRefunds: AttemptRefunds;
  readonly presence: Presence;
  readonly liveFeed: LiveFeed;
  readonly openStreams: OpenStreams;
  readonly openExports: OpenStreams;
  /**
   * Runs the history reads of each user one after another. A running read holds a part of its response in memory, so
   * all reads of a user need no more memory than one.
   */
  readonly historyInTurn: InTurn;
  /**
   * Runs the reads of missed records of each user's live streams one after another, because a user may resume many
   * streams at once.
   */
  readonly missedInTurn: InTurn;
  /**
   * Runs the patches of each target one after another, because each of several simultaneous patches would make the
   * others start again.
   */
  readonly patchesInTurn: InTurn;
  /**
   * Runs the reservations of a route one after another, with turns shared among client sites (`inReservationTurn`). In
   * the database, each would hold a connection while it waits for the lock of the fleet's budget.
   */
  readonly budgetsInTurn: InTurn;
  /**
   * Runs the requests of each device one after another, except telemetry and those that may take seconds. A device may
   * send the requests of a minute at once. Each would wait for the lock of the device's row with a connection of the
   * database, and a revocation would wait for all of them.
   */
  readonly devicesInTurn: InTurn;
  /** Looks up and inserts devices that register, two at a time for each client site. */
  readonly registrationsInTurn: InTurn;
  readonly events: Announcer;
  readonly tracer: Tracer | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly throttle: Throttle;
  /** Registrations from these addresses are exempt from the limit of their address. */
  readonly isProductionAddress: AddressRanges;
  readonly slowHash: FairSlowHash;
  readonly scryptCost: ScryptCost;
  readonly secretHash: SecretHash;
  readonly deviceTokens: CachedDeviceTokens;
  readonly configLayers: ConfigLayers;
  readonly metadata: MetadataRules;
  readonly metrics: MetricRules;
  readonly commands: CommandRules;
  readonly commandWaiters: CommandWaiters;
  /** Null: the service sends no webhooks. */
  readonly webhooks: WebhookManager | null;
  readonly limits: Limits;
  readonly policies: Policies;
}
