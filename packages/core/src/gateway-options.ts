import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { GatewaySecrets } from "./auth/secrets.js";
import type { CommandOptions } from "./commands/command-options.js";
import type { RegistrationPolicy } from "./device/decide-registration.js";
import type { BeforeHooks } from "./hooks/before-hooks.js";
import type { Limits } from "./limits.js";
import type { MetadataOptions } from "./metadata/metadata-options.js";
import type { MetricOptions } from "./metrics/metric-options.js";
import type { Tracer } from "./observe/tracer.js";
import type { FirmwareOptions } from "./ota/release/firmware-options.js";
import type { Clock } from "./ports/clock.js";
import type { Digest } from "./ports/digest.js";
import type { GatewayStore } from "./ports/gateway-store.js";
import type { Hmac } from "./ports/hmac.js";
import type { Logger } from "./ports/logger.js";
import type { Random } from "./ports/random.js";
import type { ScryptCost, SlowHash } from "./ports/slow-hash.js";
import type { Throttle } from "./ports/throttle.js";
import type { JsonObject } from "./shared/json.js";
import type { CustomerAuthenticator } from "./user/customer-authenticator.js";
import type { SessionAuthenticator } from "./user/session-authenticator.js";
import type { WebhookManager } from "./webhooks/webhook-manager.js";

/** The configuration that devices get (§5). */
export interface ConfigOptions {
  /**
   * Schema of your own settings, in addition to `telemetryIntervalSeconds` and `otaEnabled`: an object schema of any
   * library that implements Standard Schema, such as Zod, Valibot or ArkType. It must validate synchronously.
   */
  readonly settings?: StandardSchemaV1;
  /** The first layer, for every device. */
  readonly defaults?: JsonObject;
  /** The second layer, by target hardware: a merge patch (RFC 7396) for the defaults. */
  readonly byTargetHardware?: Readonly<Record<string, JsonObject>>;
}

export interface GatewayOptions<Metadata extends StandardSchemaV1 = StandardSchemaV1> {
  /** An open store. The gateway never closes it: close it when the gateway has stopped. */
  readonly store: GatewayStore;
  /** The token keys and the pepper. Create them once with `generateSecrets`, and pass the same ones at every start. */
  readonly secrets: GatewaySecrets;
  /** Default: scrypt in plain JavaScript. On Node, pass `createLibuvSlowHash()` of `core/node`. */
  readonly slowHash?: SlowHash;
  /** Default: SHA-256 in plain JavaScript. On Node, pass `nodeDigest` of `core/node`. */
  readonly digest?: Digest;
  /** Default: HMAC-SHA-256 in plain JavaScript. On Node, pass `nodeHmac` of `core/node`. */
  readonly hmac?: Hmac;
  /** Cost of the hash of a new claim code. Default: 32 MiB and three passes. */
  readonly scryptCost?: ScryptCost;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Default: the random numbers of WebCrypto. */
  readonly random?: Random;
  /**
   * The SQL stores, `startMaintenance`, webhooks, alerts and the telemetry sink have a `logger` of their own. Default:
   * nothing is logged, except a warning on the console if `publicUrl` lacks the path that the gateway is mounted at.
   */
  readonly logger?: Logger;
  /** Default: token buckets in this process. */
  readonly throttle?: Throttle;
  /** Creates spans of requests and store calls. Default: no spans. */
  readonly tracer?: Tracer;
  /** Replaces some of the limits of §9. */
  readonly limits?: Partial<Limits>;
  /** Base paths of the API below the mount path. All serve the same API. Default: `/api/v1`. */
  readonly basePaths?: readonly string[];
  /**
   * The URL at which devices reach the gateway, with its mount path, such as `https://gateway.example.com/iot`. Download
   * URLs begin with it.
   */
  readonly publicUrl?: string;
  /** Settings of devices, beyond those of §5. Default: only the settings of §5. */
  readonly config?: ConfigOptions;
  /** Facts of your own about each device, which operators set. Default: none can be set. */
  readonly metadata?: MetadataOptions<Metadata>;
  /**
   * Display names, units, decimals and ranges of metrics. Default: metrics are shown with their own names.
   * @example
   * metrics: { defaults: { "battery.voltage": { displayName: "Battery", unit: "V", decimals: 2 } } }
   */
  readonly metrics?: MetricOptions;
  /**
   * The commands that can be sent to devices, by name: 1 to 64 of `A-Z a-z 0-9 . _ -`, but not `update-now`, which
   * the gateway declares. Default: only that one can be sent.
   * @example
   * commands: { reboot: { payload: z.strictObject({}), sentBy: ["owner", "operator"] } }
   */
  readonly commands?: Readonly<Record<string, CommandOptions>>;
  /** Manages webhooks: `createWebhookManager` of `@device-gateway/webhooks`. Default: the routes of webhooks answer 404. */
  readonly webhooks?: WebhookManager;
  /** The keys that releases are signed with, and the store of images. Default: nothing can be published. */
  readonly firmware?: FirmwareOptions;
  /** Authenticates customers' tokens. Default: accepts none, so that nothing can be claimed. */
  readonly customers?: CustomerAuthenticator;
  /**
   * Authenticates requests to the routes of the dashboard and of operators. It replaces bearer tokens there, so look
   * for one first if both must work (`bearerTokenOf`). Default: bearer tokens that `customers` accepts.
   */
  readonly sessions?: SessionAuthenticator;
  /** Whether a customer needs a verified e-mail address to claim a device. Default: true. */
  readonly requireVerifiedEmail?: boolean;
  /** Hooks that may refuse registrations, claims, releases of devices and publications of firmware. Default: none. */
  readonly before?: BeforeHooks;
  /** Decides whether a registered device may register again. Default: `decideRegistration` (§1). */
  readonly registrationPolicy?: RegistrationPolicy;
  /** Whether a released device must register another claim code before it can be claimed. Default: false. */
  readonly freshCodeAfterRelease?: boolean;
  /**
   * Declares that every claim code of 16 characters or more that you issue carries at least 80 random bits. Such a code
   * is stored as a keyed hash, and registering it takes no slow hash (§1). The gateway cannot check the declaration, so
   * set it only if a cryptographic generator made the codes. Default: false.
   */
  readonly randomClaimCodes?: boolean;
  /**
   * Address ranges of your production lines, such as `198.51.100.0/24` or `2001:db8::/48`. Registrations from them are
   * exempt from `authPerMinute`, and from no other limit. Default: none.
   */
  readonly productionAddresses?: readonly string[];
  /**
   * Age of a secret in seconds after which a login returns a new secret. A login does not replace the secret of a
   * registration that was not used yet. Default: never.
   */
  readonly rotateSecretAfterSeconds?: number;
  /** Metrics whose latest values are added to each entry of the device list. Default: none. */
  readonly summaryMetrics?: readonly string[];
  /** Whether firmware below 0.1.4 may register without a claim code. Default: true. */
  readonly allowLegacyRegistration?: boolean;
}
