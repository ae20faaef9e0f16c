import type { Result } from "neverthrow";
import { createDeviceTokens } from "./auth/device-token.js";
import { createSecretHash } from "./auth/secret-hash.js";
import { GatewaySecrets } from "./auth/secrets.js";
import { cacheTokens } from "./auth/token-cache.js";
import { createAttemptRefunds } from "./budget/attempt-refunds.js";
import { createChangeFollower } from "./change/change-follower.js";
import { createConfigLayers } from "./config/config-layers.js";
import { type ConfigFailure, configureDevice } from "./config/configure-device.js";
import type { GatewayContext, Policies } from "./context.js";
import type { DeviceConfig } from "./contract/index.js";
import { decideRegistration } from "./device/decide-registration.js";
import { createDeviceCache } from "./device/device-cache.js";
import { createPresence } from "./device/presence.js";
import { type Announcer, createAnnouncer } from "./events/announcer.js";
import type { GatewayOptions } from "./gateway-options.js";
import { createLiveFeed } from "./history/live-feed.js";
import { createOpenStreams } from "./history/open-streams.js";
import { createHttpHandler } from "./http/handle.js";
import { createHandlers } from "./http/handlers.js";
import type { GatewayRequest, GatewayResponse } from "./http/message.js";
import { Limits } from "./limits.js";
import { type MaintenanceReport, maintain } from "./maintain.js";
import { type GatewayLevels, readLevels } from "./observe/read-levels.js";
import { watchStore } from "./observe/watch-store.js";
import { createDownloadSlots } from "./ota/download/download-slots.js";
import { createFirmwareAdmin, type FirmwareAdmin } from "./ota/release/firmware-admin.js";
import { toFirmware } from "./ota/release/firmware-options.js";
import { createReleaseCatalog } from "./ota/release/release-catalog.js";
import { systemClock } from "./ports/clock.js";
import { silentLogger } from "./ports/logger.js";
import { portableSlowHash } from "./ports/portable-slow-hash.js";
import { systemRandom } from "./ports/random.js";
import { defaultScryptCost } from "./ports/slow-hash.js";
import type { Failure } from "./shared/failure.js";
import { isWebAddress } from "./shared/is-web-address.js";
import type { JsonObject } from "./shared/json.js";
import { parseOption } from "./shared/parse-option.js";
import { createFairSlowHash } from "./slow-hash/fair-slow-hash.js";
import {
  type RebuildRange,
  type RebuildReport,
  rebuildRollUps,
} from "./telemetry/rebuild-roll-ups.js";
import { createTokenBucketThrottle } from "./throttle/token-bucket-throttle.js";
import { toBearerSessions } from "./user/bearer-sessions.js";
import type { CustomerAuthenticator } from "./user/customer-authenticator.js";

export interface ConfigureDeviceInput {
  readonly deviceId: string;
  /** A merge patch (RFC 7396) over the device's own layer: null puts a setting back to its default. */
  readonly patch: JsonObject;
  /** Who asks, for the audit trail. */
  readonly actor: string;
}

/** A device gateway: the API as one handler, and what an embedder may do besides. */
export interface Gateway {
  /** Answers a request. Never rejects: what goes wrong is logged and becomes a 500 or 503. */
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  /** Whether a path is the gateway's to answer; the others are yours. */
  serves(path: string): boolean;
  /**
   * Changes the device layer of a device's configuration (contract §5) and gives back what the
   * device gets from now on.
   */
  configureDevice(input: ConfigureDeviceInput): Promise<Result<DeviceConfig, ConfigFailure>>;
  /** Firmware releases, as operators have them by the API (contract §8). */
  readonly firmware: FirmwareAdmin;
  /**
   * Calls back when something has happened, after its commit; gives what ends that. Told are this
   * process's own deeds, at most once each: what must not be missed is read from the audit trail.
   * Metrics are made of the kinds of `Observation`. A listener that throws is logged and harms nobody.
   */
  readonly on: Announcer["on"];
  /**
   * Rolls telemetry up and clears away what has had its time (contract §1, §9). Call it every few
   * minutes; any number of processes may. The signal ends it early, and the next call goes on. It rejects
   * with what went wrong, after all else is done.
   */
  maintain(signal?: AbortSignal): Promise<MaintenanceReport>;
  /**
   * Ends all live streams in good order, those opened from now on too. Call it before the listener is
   * closed: clients take their streams up again, at another process or the next one.
   */
  endLiveStreams(): void;
  /** Reads how things stand, for gauges: queues, rollouts, how far maintenance is. */
  readLevels(): Promise<GatewayLevels>;
  /** From here on `/readyz` answers 503, so that load balancers look elsewhere; all else goes on. */
  retire(): void;
  /** Builds roll-ups of telemetry anew from their records, of one device or of all, while others go on. */
  rebuildRollUps(
    range: RebuildRange,
    signal?: AbortSignal,
  ): Promise<Result<RebuildReport, Failure<"device_not_found">>>;
}

const nobody: CustomerAuthenticator = { authenticateToken: async () => null };

function toPolicies(options: GatewayOptions): Policies {
  return {
    allowLegacyRegistration: options.allowLegacyRegistration ?? true,
    requireVerifiedEmail: options.requireVerifiedEmail ?? true,
    freshCodeAfterRelease: options.freshCodeAfterRelease ?? false,
    rotateSecretAfterSeconds: options.rotateSecretAfterSeconds ?? null,
    admitDevice: options.admitDevice ?? (() => true),
    registrationPolicy: options.registrationPolicy ?? decideRegistration,
    summaryMetrics: options.summaryMetrics ?? [],
  };
}

async function toContext(options: GatewayOptions, basePath: string): Promise<GatewayContext> {
  const secrets = parseOption("secrets", GatewaySecrets, options.secrets);
  const limits = parseOption("limits", Limits, options.limits ?? {});
  const { logger = silentLogger, clock = systemClock, publicUrl, tracer } = options;
  const events = createAnnouncer(logger);
  const { store, underWay: storeCalls } = watchStore(options.store, events, tracer);
  const { devices, changes, releases } = store;
  const follower = createChangeFollower({ changes, clock, logger });
  return {
    store,
    storeCalls,
    lifecycle: { retired: false, maintainedAt: null },
    deviceCache: createDeviceCache({ devices, follower }),
    releaseCatalog: createReleaseCatalog({ releases, follower }),
    firmware: await toFirmware(options.firmware),
    downloads: createDownloadSlots(limits.downloadsPerDevice),
    downloadBase:
      publicUrl === undefined ? null : `${publicUrl.replace(/\/+$/, "")}${basePath}/ota/firmware/`,
    attemptRefunds: createAttemptRefunds({ budgets: store.budgets, clock }),
    presence: createPresence(devices, logger),
    liveFeed: createLiveFeed(store.telemetry, logger),
    openStreams: createOpenStreams(),
    openExports: createOpenStreams(),
    events,
    tracer,
    clock,
    random: options.random ?? systemRandom,
    logger,
    throttle: options.throttle ?? createTokenBucketThrottle(),
    slowHash: createFairSlowHash(
      options.slowHash ?? portableSlowHash,
      {
        // The portable one computes on this thread: two at once take twice the memory, and as long.
        inFlight: options.slowHash === undefined ? 1 : limits.hashesInFlight,
        queued: limits.hashesQueued,
      },
      () => clock.now(),
    ),
    scryptCost: options.scryptCost ?? defaultScryptCost,
    secretHash: createSecretHash(secrets.pepper),
    deviceTokens: cacheTokens(
      await createDeviceTokens(secrets.tokenKeys, limits.tokenTtlSeconds),
      options.digest,
    ),
    configLayers: createConfigLayers(options.config ?? {}, logger),
    limits,
    policies: toPolicies(options),
  };
}

/** Plain JavaScript may leave it out, or forget to await it. */
const isOpenStore = (store: unknown) =>
  typeof store === "object" && store !== null && !("then" in store);

/**
 * Builds a gateway over a store. The store stays yours to close.
 * @throws {TypeError} when an option makes no sense; the message says which and what to do.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  if (!isOpenStore((options as Partial<GatewayOptions> | undefined)?.store)) {
    throw new TypeError(
      'createGateway: store is no open store. Give one, such as await openSqliteStore({ file: "gateway.db" }).',
    );
  }
  const { basePaths = ["/api/v1"], publicUrl, customers = nobody } = options;
  const [basePath] = basePaths;
  if (basePath === undefined || !basePaths.every((path) => /^(\/[\w.-]+)+$/.test(path))) {
    throw new TypeError(
      'basePaths: give one or more paths such as "/api/v1", without a slash at the end.',
    );
  }
  if (publicUrl !== undefined && !isWebAddress(publicUrl)) {
    throw new TypeError(
      'publicUrl: give the address that devices reach, such as "https://gateway.example.com".',
    );
  }
  const context = await toContext(options, basePath);
  const handlers = createHandlers(context, { basePath, origin: publicUrl });
  const sessions = options.sessions ?? toBearerSessions(customers);
  const authenticators = { customers, sessions, publicUrl };
  const { handle, serves } = createHttpHandler(context, handlers, authenticators, basePaths);
  const byEmbedder = {
    ownerId: null,
    accepts: () => true,
    origin: { requestId: null, clientAddress: null },
  };
  return {
    handle,
    serves,
    async configureDevice(input) {
      const configured = await configureDevice(context, { ...input, ...byEmbedder });
      return configured.map((device) => context.configLayers.effective(device));
    },
    firmware: createFirmwareAdmin(context),
    on: context.events.on,
    maintain: (signal) => maintain(context, signal),
    endLiveStreams: context.openStreams.endAll,
    readLevels: () => readLevels(context),
    retire() {
      context.lifecycle.retired = true;
    },
    rebuildRollUps: (range, signal) => rebuildRollUps(context, range, signal),
  };
}
