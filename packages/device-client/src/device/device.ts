import type { DeviceConfig, Routes, SentRequest } from "@device-gateway/core/contract";
import { err, ok, type Result, ResultAsync } from "neverthrow";
import { type BufferStorage, createMemoryBuffer } from "../buffer/buffer-storage.js";
import { type BufferLimits, defaultLimits } from "../buffer/telemetry-buffer.js";
import { createTelemetryOutbox, type TelemetryOutbox } from "../buffer/telemetry-outbox.js";
import type { SerializedJson } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import { type ConnectionOptions, toTransport } from "../connection.js";
import type { DeviceRouteName } from "../device-client.js";
import { defaultRetry, type Random, type RetryOptions, type Sleep } from "../retry.js";
import { systemRandom, systemSleep } from "../system.js";
import { type CredentialStore, createMemoryCredentials } from "./credential-store.js";
import type { DeviceCall, DeviceCallError } from "./device-call.js";
import type { DeviceEventListener } from "./device-event.js";
import { createSession } from "./session.js";
import type { DeviceIdentity, SignInError } from "./sign-in.js";

/** Options of `createDevice`. */
export interface DeviceOptions extends ConnectionOptions {
  readonly identity: DeviceIdentity;
  /** Stores the secret across restarts. Default: memory, which loses it at a restart. */
  readonly credentials?: CredentialStore;
  /** Stores unsent records across restarts. Default: memory, which loses them at a restart. */
  readonly buffer?: BufferStorage;
  readonly bufferLimits?: BufferLimits;
  readonly retry?: RetryOptions;
  /** Returns epoch milliseconds. Default: the system clock. */
  readonly clock?: { now(): number };
  /** For retry delays and idempotency keys. Default: the cryptographic generator of the runtime. */
  readonly random?: Random;
  /** Default: a timer. */
  readonly sleep?: Sleep;
  /** Called for everything that the device does on its own. */
  readonly onEvent?: DeviceEventListener;
}

/**
 * A device that signs in when necessary, retries requests that are safe to repeat, and buffers its
 * readings until the server has stored each of them exactly once (§1, §2, §4).
 */
export interface Device extends TelemetryOutbox {
  readonly deviceId: string;
  readonly token: string | undefined;
  /** Signs in with the stored secret, or registers. Optional, because every call signs in when necessary. */
  connect(): ResultAsync<void, SignInError>;
  /** Returns the configuration. The server sends it only if it has changed. */
  readConfig(): ResultAsync<DeviceConfig, DeviceCallError<"readConfig">>;
  /** Calls any route for devices by its name in the contract. After a 401 it signs in again, once. */
  call<Name extends DeviceRouteName>(
    name: Name,
    request: SentRequest<Routes[Name]>,
  ): DeviceCall<Name>;
}

const unexpectedNotModified: DeviceCallError<"readConfig"> = {
  code: "unexpected_answer",
  message: "The server sent 304 to a request without If-None-Match.",
  status: 304,
};

/**
 * Creates a device that survives network failures, restarts and lost responses.
 * @throws {TypeError} if `baseUrl` is invalid.
 * @example
 * const identity = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0", claimCode };
 * const device = createDevice({ baseUrl: "https://gateway.example.com", identity });
 * await device.record({ temperature: 21.5 });
 * const sent = await device.flush();
 */
export function createDevice(options: DeviceOptions): Device {
  const { identity, clock = { now: Date.now }, random = systemRandom } = options;
  const emit: DeviceEventListener = options.onEvent ?? (() => {});
  const session = createSession({
    transport: toTransport(options, () => clock.now()),
    retryContext: {
      retry: { ...defaultRetry, ...options.retry },
      random,
      sleep: options.sleep ?? systemSleep,
      onRetry: (error: ClientError, waitMs) => emit({ kind: "retrying", error, waitMs }),
    },
    identity,
    credentials: options.credentials ?? createMemoryCredentials(),
    emit,
  });
  const outbox = createTelemetryOutbox({
    storage: options.buffer ?? createMemoryBuffer(),
    limits: { ...defaultLimits, ...options.bufferLimits },
    clock,
    random,
    emit,
    send: (body: SerializedJson, key) =>
      session.call("sendTelemetry", {
        // Already serialised. The outbox checked the records.
        body: body as unknown as { readonly records: readonly unknown[] },
        headers: { "idempotency-key": key },
      }),
  });
  let knownConfig: DeviceConfig | undefined;

  return {
    deviceId: identity.deviceId,
    get token() {
      return session.token;
    },
    get waiting() {
      return outbox.waiting;
    },
    connect: () => new ResultAsync(session.renew()).map(() => undefined),
    readConfig() {
      const before = knownConfig;
      const etag = before && `"${before.configVersion}"`;
      return session
        .call("readConfig", { headers: { "if-none-match": etag } })
        .andThen((config): Result<DeviceConfig, DeviceCallError<"readConfig">> => {
          const read = config ?? before;
          if (read === undefined) return err(unexpectedNotModified);
          // The version does not include the hint: a 304 means that no command waits.
          const { commandsWaiting: _, ...settings } = read;
          knownConfig = settings;
          return ok(read);
        });
    },
    call: session.call,
    record: outbox.record,
    flush: outbox.flush,
  };
}
