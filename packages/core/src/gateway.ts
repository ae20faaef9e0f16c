import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Result } from "neverthrow";
import { createActAs } from "./api/create-act-as.js";
import type { ActAs } from "./api/gateway-api.js";
import { checkSecrets } from "./auth/check-secrets.js";
import { createDeviceTokens } from "./auth/device-token.js";
import { createSecretHash } from "./auth/secret-hash.js";
import { GatewaySecrets } from "./auth/secrets.js";
import { cacheTokens } from "./auth/token-cache.js";
import { createAttemptRefunds } from "./budget/attempt-refunds.js";
import { createChangePoller } from "./change/change-poller.js";
import { checkOptions } from "./check-options.js";
import { createCommandRules } from "./commands/command-rules.js";
import { createCommandWaiters } from "./commands/command-waiters.js";
import { createConfigLayers } from "./config/config-layers.js";
import type { GatewayContext, Policies } from "./context.js";
import { decideRegistration } from "./device/decide-registration.js";
import type { Device } from "./device/device.js";
import { createDeviceCache } from "./device/device-cache.js";
import { createPresence } from "./device/presence.js";
import { type Announcer, createAnnouncer } from "./events/announcer.js";
import { createFollowEvents, type FollowEvents } from "./events/follow-events.js";
import type { GatewayOptions } from "./gateway-options.js";
import { endStreamsOnReset } from "./history/end-streams-on-reset.js";
import { createLiveFeed } from "./history/live-feed.js";
import { createOpenStreams } from "./history/open-streams.js";
import { createHttpHandler } from "./http/handle.js";
import { createHandlers } from "./http/handlers/handlers.js";
import { createMountCheck } from "./http/mount-check.js";
import type { GatewayRequest, GatewayResponse } from "./http/request/message.js";
import { createOperationRunner } from "./http/run-operation.js";
import { Limits } from "./limits.js";
import { type MaintenanceReport, maintain } from "./maintain.js";
import { createMetadataRules } from "./metadata/metadata-rules.js";
import { createMetricRules } from "./metrics/metric-rules.js";
import { type GatewayLevels, readLevels } from "./observe/read-levels.js";
import { watchStore } from "./observe/watch-store.js";
import { createDownloadSlots } from "./ota/download/download-slots.js";
import { toFirmware } from "./ota/release/firmware-options.js";
import { createReleaseCatalog } from "./ota/release/release-catalog.js";
import { createSettler } from "./ota/update/settle-rollouts.js";
import { systemClock } from "./ports/clock.js";
import { silentLogger } from "./ports/logger.js";
import { portableSlowHash } from "./ports/portable-slow-hash.js";
import { systemRandom } from "./ports/random.js";
import { defaultScryptCost } from "./ports/slow-hash.js";
import type { Failure } from "./shared/failure.js";
import { createInTurn } from "./shared/in-turn.js";
import { parseOption } from "./shared/parse-option.js";
import { createRestingTurns } from "./shared/resting-turns.js";
import { createFairSlowHash } from "./slow-hash/fair-slow-hash.js";
import {
  type RebuildRange,
  type RebuildReport,
  rebuildRollUps,
} from "./telemetry/rebuild-roll-ups.js";
import { createAddressRanges } from "./throttle/address-ranges.js";
import { noThrottle } from "./throttle/no-throttle.js";
import { createTokenBucketThrottle } from "./throttle/token-bucket-throttle.js";
import { toBearerSessions } from "./user/bearer-sessions.js";
import type { CustomerAuthenticator } from "./user/customer-authenticator.js";

/** A device gateway: the HTTP API as one handler, and the functions for the embedder. */
export interface Gateway {
  /** Answers a request. Never rejects: a failure is logged and becomes a 500 or 503. */
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  /** Returns whether the gateway answers a path. All other paths are the embedder's. */
  serves(path: string): boolean;
  /**
   * Returns the API as functions that act as a principal, without HTTP: the same authorisation, checks and audit trail.
   * @throws {TypeError} if the principal was not created by `anyone`, `device`, `customer` or `operator`.
   * @example
   * ```ts
   * const api = gateway.as(customer({ id: user.id, emailVerified: true }));
   * const claimed = await api.claimDevice({ body: { deviceId, claimCode } });
   * ```
   */
  readonly as: ActAs;
  /**
   * Calls a listener with the events of one kind, after their commit. Returns a function that removes the listener.
   * Only changes by this process are announced, each at most once. The audit trail has all of them.
   * Use the kinds of `Observation` for metrics. An error that a listener throws is logged and affects nothing else.
   */
  readonly on: Announcer["on"];
  /**
   * Follows the event log of all processes, with the audit trail: each committed event at least once, in order per
   * device. It waits while the store is unavailable, and ends when the signal aborts.
   * @throws {TypeError} if `after` is not a cursor that it returned.
   * @example
   * ```ts
   * for await (const item of gateway.followEvents({ after: cursor, signal })) {
   *   if (item.kind === "event") await handle(item.event);
   *   cursor = await keep(item.cursor);
   * }
   * ```
   */
  readonly followEvents: FollowEvents;
  /**
   * Builds roll-ups of telemetry and deletes expired data (§1, §9). Call it every few minutes, in any number of
   * processes. The signal ends it early, and the next call continues. If a step fails, it rejects with the error
   * after all other steps are done.
   */
  maintain(signal?: AbortSignal): Promise<MaintenanceReport>;
  /**
   * Ends all live streams cleanly, also those that are opened later, and answers all requests that wait for commands.
   * Call it before you close the listener. Clients reconnect, to another process or to the next one.
   */
  endLiveStreams(): void;
  /** Returns queue lengths, rollouts and the state of maintenance, for gauges. */
  readLevels(): Promise<GatewayLevels>;
  /**
   * From now on `/readyz` returns 503, so that load balancers choose another process. All requests that wait for commands
   * are answered, and later ones do not wait. All other requests are served.
   */
  retire(): void;
  /** Returns the interval at which a device sends telemetry, in seconds, by its configuration (§5). */
  telemetryInterval(device: Device): number;
  /** Builds roll-ups of telemetry again from the records, of one device or of all, while requests are served. */
  rebuildRollUps(
    range: RebuildRange,
    signal?: AbortSignal,
  ): Promise<Result<RebuildReport, Failure<"device_not_found">>>;
}

const defaultBasePath = "/api/v1";
const noCustomers: CustomerAuthenticator = { authenticateToken: async () => null };

function toPolicies(options: GatewayOptions): Policies {
  return {
    allowLegacyRegistration: options.allowLegacyRegistration ?? true,
    requireVerifiedEmail: options.requireVerifiedEmail ?? true,
    freshCodeAfterRelease: options.freshCodeAfterRelease ?? false,
    randomClaimCodes: options.randomClaimCodes ?? false,
    rotateSecretAfterSeconds: options.rotateSecretAfterSeconds ?? null,
    before: options.before ?? {},
    registrationPolicy: options.registrationPolicy ?? decideRegistration,
    summaryMetrics: options.summaryMetrics ?? [],
  };
}

async function toContext(options: GatewayOptions, basePath: string): Promise<GatewayContext> {
  const secrets = parseOption("secrets", GatewaySecrets, options.secrets);
  const limits = parseOption("limits", Limits, options.limits ?? {});
  const { logger = silentLogger, clock = systemClock, publicUrl, tracer } = options;
  const events = createAnnouncer(logger);
  const { store, pendingCalls: storeCalls } = watchStore(options.store, events, tracer);
  const { devices, changes, releases } = store;
  const settleSoon = createSettler({ store, clock, logger, limits, events });
  const since: typeof changes.since = (cursor) => {
    settleSoon();
    return changes.since(cursor);
  };
  const poller = createChangePoller({ changes: { since }, clock, logger });
  const deviceCache = createDeviceCache({ devices, poller });
  const openStreams = createOpenStreams();
  const liveFeed = createLiveFeed(store.telemetry, logger);
  endStreamsOnReset(poller, openStreams, liveFeed);
  return {
    store,
    storeCalls,
    lifecycle: { retired: false, maintainedAt: null },
    deviceCache,
    releaseCatalog: createReleaseCatalog({ releases, poller }),
    firmware: await toFirmware(options.firmware),
    downloads: createDownloadSlots(limits.downloadsPerDevice),
    downloadTurns: createRestingTurns(),
    downloadBase:
      publicUrl === undefined ? null : `${publicUrl.replace(/\/+$/, "")}${basePath}/ota/firmware/`,
    attemptRefunds: createAttemptRefunds({ budgets: store.budgets, clock }),
    presence: createPresence(devices, logger),
    liveFeed,
    openStreams,
    openExports: createOpenStreams(),
    historyInTurn: createInTurn(),
    missedInTurn: createInTurn(),
    patchesInTurn: createInTurn(),
    budgetsInTurn: createInTurn(),
    devicesInTurn: createInTurn(),
    registrationsInTurn: createInTurn(2),
    events,
    tracer,
    clock,
    random: options.random ?? systemRandom,
    logger,
    throttle: options.throttle ?? createTokenBucketThrottle(),
    isProductionAddress: createAddressRanges(
      "productionAddresses",
      options.productionAddresses ?? [],
    ),
    slowHash: createFairSlowHash(options.slowHash ?? portableSlowHash, {
      // The portable hash runs on this thread: two at once need twice the memory and are not faster.
      inFlight: options.slowHash === undefined ? 1 : limits.hashesInFlight,
      queued: limits.hashesQueued,
    }),
    scryptCost: options.scryptCost ?? defaultScryptCost,
    secretHash: createSecretHash(secrets.pepper, options.hmac),
    deviceTokens: cacheTokens(
      await createDeviceTokens(secrets.tokenKeys, limits.tokenTtlSeconds, options.hmac),
      options.digest,
    ),
    configLayers: createConfigLayers(options.config ?? {}, logger),
    metadata: createMetadataRules(options.metadata),
    metrics: createMetricRules(options.metrics),
    commands: createCommandRules(options.commands),
    webhooks: options.webhooks ?? null,
    commandWaiters: createCommandWaiters({ deviceCache, poller, most: limits.commandWaiters }),
    limits,
    policies: toPolicies(options),
  };
}

/**
 * Creates a gateway over an open store. Close the store yourself when the gateway has stopped.
 * @throws {TypeError} if an option is invalid. The message names the option and what to do.
 * @throws {WrongSecretsError} if the store was first used with another pepper.
 * @throws {StoreUnavailableError} if the store cannot answer now.
 * @example
 * ```ts
 * const store = await openSqliteStore({ file: "gateway.db" });
 * const gateway = await createGateway({ store, secrets, ...onNode });
 * http.createServer(toNodeListener(gateway)).listen(3000);
 * ```
 */
export function createGateway<Metadata extends StandardSchemaV1>(
  options: GatewayOptions<Metadata>,
): Promise<Gateway>;
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  checkOptions(options);
  const { basePaths = [defaultBasePath], publicUrl, customers = noCustomers } = options;
  const [basePath = defaultBasePath] = basePaths;
  const context = await toContext(options, basePath);
  await checkSecrets(options.store, context.secretHash);
  const mount = { basePath, origin: publicUrl };
  const running = {
    handlers: createHandlers(context, mount),
    unthrottledHandlers: createHandlers({ ...context, throttle: noThrottle }, mount),
    runOperation: createOperationRunner(context),
  };
  const sessions = options.sessions ?? toBearerSessions(customers);
  const authenticators = { customers, sessions, publicUrl };
  const { handle, serves } = createHttpHandler(context, running, authenticators, basePaths);
  const checkMount = createMountCheck(publicUrl, options.logger ?? console);
  return {
    handle(request) {
      checkMount(request.mountPath);
      return handle(request);
    },
    serves,
    as: createActAs(context, running),
    on: context.events.on,
    followEvents: createFollowEvents(context.store),
    maintain: (signal) => maintain(context, signal),
    endLiveStreams() {
      context.openStreams.endAll();
      context.commandWaiters.endAll();
    },
    readLevels: () => readLevels(context),
    retire() {
      context.lifecycle.retired = true;
      context.commandWaiters.endAll();
    },
    telemetryInterval: (device) => context.configLayers.effective(device).telemetryIntervalSeconds,
    rebuildRollUps: (range, signal) => rebuildRollUps(context, range, signal),
  };
}
