import type { z } from "zod";
import type { GatewaySecrets } from "./auth/secrets.js";
import type { AdmitDevice } from "./device/admit-device.js";
import type { RegistrationPolicy } from "./device/decide-registration.js";
import type { Limits } from "./limits.js";
import type { Tracer } from "./observe/tracer.js";
import type { FirmwareOptions } from "./ota/release/firmware-options.js";
import type { Clock } from "./ports/clock.js";
import type { Digest } from "./ports/digest.js";
import type { GatewayStore } from "./ports/gateway-store.js";
import type { Logger } from "./ports/logger.js";
import type { Random } from "./ports/random.js";
import type { ScryptCost, SlowHash } from "./ports/slow-hash.js";
import type { Throttle } from "./ports/throttle.js";
import type { JsonObject } from "./shared/json.js";
import type { CustomerAuthenticator } from "./user/customer-authenticator.js";
import type { SessionAuthenticator } from "./user/session-authenticator.js";

/** The configuration that devices read (contract §5). */
export interface ConfigOptions {
  /** Settings of your own beside `telemetryIntervalSeconds` and `otaEnabled`. */
  readonly settings?: z.ZodObject;
  /** The first layer: what every device gets. */
  readonly defaults?: JsonObject;
  /** The second layer, by target hardware: a merge patch (RFC 7396) over the defaults. */
  readonly byTargetHardware?: Readonly<Record<string, JsonObject>>;
}

export interface GatewayOptions {
  readonly store: GatewayStore;
  readonly secrets: GatewaySecrets;
  /** Default: scrypt in plain JavaScript. On Node, pass `createLibuvSlowHash()` of `core/node`. */
  readonly slowHash?: SlowHash;
  /** Default: SHA-256 in plain JavaScript. On Node, pass `nodeDigest` of `core/node`. */
  readonly digest?: Digest;
  /** Work that goes into hashing a new claim code. Default: 32 MiB, three passes. */
  readonly scryptCost?: ScryptCost;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: token buckets in this process. */
  readonly throttle?: Throttle;
  /** Makes spans of requests and of calls of the store. Default: none are made. */
  readonly tracer?: Tracer;
  readonly limits?: Partial<Limits>;
  /** Where the API stands below the mount, served identically. Default: `/api/v1` alone. */
  readonly basePaths?: readonly string[];
  /** The origin that devices reach, such as `https://gateway.example.com`. */
  readonly publicUrl?: string;
  readonly config?: ConfigOptions;
  /** Who signs releases, and where images are. Default: nothing can be published. */
  readonly firmware?: FirmwareOptions;
  /** Whose token a customer's is. Default: nobody's, so that nothing can be claimed. */
  readonly customers?: CustomerAuthenticator;
  /** Who uses the dashboard. Default: whoever `customers` says a bearer token is. */
  readonly sessions?: SessionAuthenticator;
  /** Whether only a customer with a verified e-mail address may claim. Default: true. */
  readonly requireVerifiedEmail?: boolean;
  /** Asked before a device is registered, new or again. Default: all are admitted. */
  readonly admitDevice?: AdmitDevice;
  /** Whether a device that is registered may be so again. Default: as contract §1 says. */
  readonly registrationPolicy?: RegistrationPolicy;
  /** Whether a released device must register another claim code first. Default: false. */
  readonly freshCodeAfterRelease?: boolean;
  /**
   * Age of a secret, in seconds, after which a login brings a new one; not while a registration's has
   * not been used. Default: never.
   */
  readonly rotateSecretAfterSeconds?: number;
  /** Metrics whose latest values stand in each entry of the device list. Default: none. */
  readonly summaryMetrics?: readonly string[];
  /** Whether firmware below 0.1.4 may register without a claim code. Default: true. */
  readonly allowLegacyRegistration?: boolean;
}
