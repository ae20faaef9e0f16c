import type { DeviceConfig, Routes, SentRequest } from "@device-gateway/core/contract";
import { ResultAsync } from "neverthrow";
import { type BufferStorage, createMemoryBuffer } from "../buffer/buffer-storage.js";
import { type BufferLimits, defaultLimits } from "../buffer/telemetry-buffer.js";
import { createTelemetryOutbox, type TelemetryOutbox } from "../buffer/telemetry-outbox.js";
import type { WrittenJson } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import { type ConnectionOptions, toTransport } from "../connection.js";
import type { DeviceRouteName } from "../device-client.js";
import { defaultRetry, type Random, type RetryOptions, type Sleep } from "../retry.js";
import { systemRandom, systemSleep } from "../system.js";
import { type CredentialStore, createMemoryCredentials } from "./credential-store.js";
import type { DeviceCall, DeviceCallError } from "./device-call.js";
import type { Tell } from "./device-event.js";
import { createSession } from "./session.js";
import type { DeviceIdentity, SignInError } from "./sign-in.js";

export interface DeviceOptions extends ConnectionOptions {
  readonly identity: DeviceIdentity;
  /** Where the secret survives a restart. Default: it does not. */
  readonly credentials?: CredentialStore;
  /** Where unsent records survive a restart. Default: they do not. */
  readonly buffer?: BufferStorage;
  readonly bufferLimits?: BufferLimits;
  readonly retry?: RetryOptions;
  /** Default: the runtime's own. */
  readonly clock?: { now(): number };
  /** Where jitter and keys come from. Default: the runtime's own generator. */
  readonly random?: Random;
  /** Default: a timer. */
  readonly sleep?: Sleep;
  /** Told what the device does on its own. */
  readonly onEvent?: Tell;
}

/**
 * A gateway that looks after itself: it signs in when it must, repeats what is safe to repeat, and
 * keeps its readings until the server has them, each exactly once (contract §1, §2, §4).
 */
export interface Device extends TelemetryOutbox {
  readonly deviceId: string;
  readonly token: string | undefined;
  /** Signs in: with the secret that is kept, else by registering. Every call does so by itself. */
  connect(): ResultAsync<void, SignInError>;
  /** Reads the configuration; the one that is known, when it has not changed. */
  readConfig(): ResultAsync<DeviceConfig, DeviceCallError<"readConfig">>;
  /** Calls any route of a gateway by its name in the contract; signs in again once on 401. */
  call<Name extends DeviceRouteName>(
    name: Name,
    request: SentRequest<Routes[Name]>,
  ): DeviceCall<Name>;
}

/** Creates a gateway's side of the API that survives bad networks, restarts and lost answers. */
export function createDevice(options: DeviceOptions): Device {
  const { identity, clock = { now: Date.now }, random = systemRandom } = options;
  const tell: Tell = options.onEvent ?? (() => {});
  const session = createSession({
    transport: toTransport(options, () => clock.now()),
    patience: {
      retry: { ...defaultRetry, ...options.retry },
      random,
      sleep: options.sleep ?? systemSleep,
      onRetry: (error: ClientError, waitMs) => tell({ kind: "retrying", error, waitMs }),
    },
    identity,
    credentials: options.credentials ?? createMemoryCredentials(),
    tell,
  });
  const outbox = createTelemetryOutbox({
    storage: options.buffer ?? createMemoryBuffer(),
    limits: { ...defaultLimits, ...options.bufferLimits },
    clock,
    random,
    tell,
    send: (body: WrittenJson, key) =>
      session.call("sendTelemetry", {
        // The bytes of a request that has these records: its schema is checked by its maker.
        body: body as unknown as { readonly records: readonly unknown[] },
        headers: { "idempotency-key": key },
      }),
  });
  let known: DeviceConfig | undefined;

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
      const before = known;
      const etag = before && `"${before.configVersion}"`;
      return session
        .call("readConfig", { headers: { "if-none-match": etag } })
        .map((config): DeviceConfig => {
          known = config ?? before;
          if (known === undefined) throw new Error("A 304 to a request without If-None-Match.");
          return known;
        });
    },
    call: session.call,
    record: outbox.record,
    flush: outbox.flush,
  };
}
