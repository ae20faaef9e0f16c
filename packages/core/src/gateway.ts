import type { Result } from "neverthrow";
import { createDeviceTokens } from "./auth/device-token.js";
import { createSecretHash } from "./auth/secret-hash.js";
import { GatewaySecrets } from "./auth/secrets.js";
import { createConfigLayers } from "./config/config-layers.js";
import {
  type ConfigureDeviceFailure,
  type ConfigureDeviceInput,
  configureDevice,
} from "./config/configure-device.js";
import type { GatewayContext } from "./context.js";
import type { DeviceConfig } from "./contract/index.js";
import type { GatewayOptions } from "./gateway-options.js";
import { createHttpHandler } from "./http/handle.js";
import { createHandlers } from "./http/handlers.js";
import type { GatewayRequest, GatewayResponse } from "./http/message.js";
import { Limits } from "./limits.js";
import { parseOption } from "./parse-option.js";
import { systemClock } from "./ports/clock.js";
import { silentLogger } from "./ports/logger.js";
import { portableSlowHash } from "./ports/portable-slow-hash.js";
import { systemRandom } from "./ports/random.js";
import { defaultScryptCost } from "./ports/slow-hash.js";
import { createTokenBucketThrottle } from "./throttle/token-bucket-throttle.js";

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
  configureDevice(
    input: ConfigureDeviceInput,
  ): Promise<Result<DeviceConfig, ConfigureDeviceFailure>>;
}

/**
 * Builds a gateway over a store. The store stays yours to close.
 * @throws {TypeError} when an option makes no sense; the message says which and what to do.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const secrets = parseOption("secrets", GatewaySecrets, options.secrets);
  const limits = parseOption("limits", Limits, options.limits ?? {});
  const { logger = silentLogger, basePaths = ["/api/v1"] } = options;
  const [basePath] = basePaths;
  if (basePath === undefined || !basePaths.every((path) => /^(\/[\w.-]+)+$/.test(path))) {
    throw new TypeError(
      'basePaths: give one or more paths such as "/api/v1", without a slash at the end.',
    );
  }

  const context: GatewayContext = {
    store: options.store,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger,
    throttle: options.throttle ?? createTokenBucketThrottle(),
    slowHash: options.slowHash ?? portableSlowHash,
    scryptCost: options.scryptCost ?? defaultScryptCost,
    secretHash: createSecretHash(secrets.pepper),
    deviceTokens: await createDeviceTokens(secrets.tokenKeys, limits.tokenTtlSeconds),
    configLayers: createConfigLayers(options.config ?? {}, logger),
    limits,
    allowLegacyRegistration: options.allowLegacyRegistration ?? true,
  };
  const handlers = createHandlers(context, { basePath, origin: options.publicUrl });
  const { handle, serves } = createHttpHandler(context, handlers, basePaths);
  return { handle, serves, configureDevice: (input) => configureDevice(context, input) };
}
