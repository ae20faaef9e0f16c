import type {
  AppendOnce,
  Device,
  GatewayStore,
  JsonObject,
  SecurityEvent,
  SecurityEventKind,
  StoredSecurityEvent,
  TelemetryRecord,
  UpdateRules,
} from "@device-gateway/core/store";
import { auditKinds, newDeviceOta } from "@device-gateway/core/store";

/** The start of an hour in 2025, in epoch milliseconds. */
export const sampleTime: number = Date.UTC(2025, 5, 1, 12);

/**
 * Returns a device in the state after its first registration.
 *
 * @example
 * const device = sampleDevice("gw-1", { name: "Cellar" });
 */
export function sampleDevice(deviceId: string, changes: Partial<Device> = {}): Device {
  const { registeredAt = sampleTime } = changes;
  return {
    deviceId,
    revision: 1,
    profile: {
      hardwareId: "esp32:gw-2",
      firmwareVersion: "0.1.10",
      targetHardware: "gw-2",
      hardwarePlatform: "esp32",
      hardwareModel: "gw-2",
      boardProfile: "rev-c",
      fingerprintHash: "fingerprint-hash",
      capabilities: { ble: true, ota: false },
    },
    claimCodeHash: "claim-code-hash",
    claimCodeSpent: false,
    credential: { secretHash: "secret-hash", epoch: 1, issuedAt: registeredAt },
    pendingCredential: null,
    configOverrides: { values: {}, revision: 0 },
    name: null,
    ownership: null,
    ownedBefore: false,
    reEnrolmentUntil: null,
    registeredAt,
    firstUsedAt: null,
    revokedAt: null,
    lastSeenAt: null,
    lastTelemetryAt: null,
    otaFingerprint: null,
    commandsWaiting: false,
    ota: newDeviceOta,
    ...changes,
  };
}

/**
 * Returns the changes that make a `sampleDevice` owned.
 *
 * @example
 * const owned = sampleDevice("gw-1", sampleOwnership("alice"));
 */
export function sampleOwnership(ownerId = "owner"): Partial<Device> {
  const ownership = { ownerId, claimedAt: sampleTime + 1, visibleFrom: 0 };
  return { ownership, ownedBefore: true };
}

/**
 * Registers a sample device in the store and returns it.
 *
 * @example
 * const device = await registerSampleDevice(store, "gw-1", sampleOwnership("alice"));
 */
export async function registerSampleDevice(
  store: GatewayStore,
  deviceId: string,
  changes: Partial<Device> = {},
): Promise<Device> {
  const device = sampleDevice(deviceId, changes);
  await store.devices.register({ device, event: sampleEvent(deviceId) });
  return device;
}

/**
 * Returns the security event of a registration.
 *
 * @example
 * const event = sampleEvent("gw-1");
 */
export function sampleEvent(deviceId: string, details: JsonObject = {}): SecurityEvent {
  return {
    kind: "device.registered",
    at: sampleTime,
    deviceId,
    actor: "device",
    requestId: "request-1",
    clientAddress: "192.0.2.1",
    details,
  };
}

/**
 * Returns a security event of any kind.
 *
 * @example
 * const event = sampleSecurityEvent("gw-1", "device.revoked");
 */
export function sampleSecurityEvent(
  deviceId: string,
  kind: SecurityEventKind,
  details: JsonObject = {},
): SecurityEvent {
  return { ...sampleEvent(deviceId, details), kind };
}

/** The default rules for updates. */
export const sampleUpdateRules: UpdateRules = {
  maxFailures: 3,
  maxAttempts: 5,
  attemptWindowMs: 180_000,
  blockMs: 86_400_000,
  timeoutMs: 86_400_000,
  silenceMs: 3_600_000,
  toleratedShare: 0.02,
};

/**
 * Returns a record with its own timestamp.
 *
 * @example
 * const record = sampleRecord({ seq: 2, value: { soc: 50 } });
 */
export function sampleRecord(changes: Partial<TelemetryRecord> = {}): TelemetryRecord {
  return {
    at: sampleTime,
    seq: null,
    isTimed: true,
    value: { voltage: 12.5 },
    ...changes,
  };
}

/**
 * Returns an idempotency key that expires after a day.
 *
 * @example
 * const once = sampleAppendOnce("key-1");
 */
export function sampleAppendOnce(key: string, changes: Partial<AppendOnce> = {}): AppendOnce {
  const expiresAt = sampleTime + 86_400_000;
  return { key, fingerprint: "fingerprint", expiresAt, memo: "memo", ...changes };
}

/**
 * Returns every event of a device in the audit trail, oldest first.
 *
 * @example
 * const kinds = (await readSecurityEvents(store, "gw-1")).map(({ kind }) => kind);
 */
export async function readSecurityEvents(
  store: GatewayStore,
  deviceId: string,
): Promise<StoredSecurityEvent[]> {
  const events = await store.securityEvents.list({ after: 0, limit: 10_000, kinds: auditKinds });
  return events.filter((event) => event.deviceId === deviceId);
}

/** Returns kind and details of a device's security events, without its registration. */
export async function readLaterEvents(
  store: GatewayStore,
  deviceId: string,
): Promise<Pick<SecurityEvent, "kind" | "details">[]> {
  const [, ...events] = await readSecurityEvents(store, deviceId);
  return events.map(({ kind, details }) => ({ kind, details }));
}

/**
 * Returns the values of a device's records in the order of their positions.
 *
 * @example
 * expect(await readRecordValues(store, "gw-1")).toEqual([{ soc: 50 }]);
 */
export async function readRecordValues(
  store: GatewayStore,
  deviceId: string,
): Promise<JsonObject[]> {
  const records = await store.telemetry.read({ deviceId, after: 0, limit: 10_000 });
  return records.map(({ value }) => value);
}
