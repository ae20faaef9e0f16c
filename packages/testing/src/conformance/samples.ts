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
import { newDeviceOta } from "@device-gateway/core/store";

/** An hour of the year 2025, in epoch milliseconds. */
export const sampleTime: number = Date.UTC(2025, 5, 1, 12);

/** A device as it stands after its first registration. */
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
    ota: newDeviceOta,
    ...changes,
  };
}

/** What `sampleDevice` lacks of one that somebody owns. */
export function sampleOwned(ownerId = "owner"): Partial<Device> {
  const ownership = { ownerId, claimedAt: sampleTime + 1, visibleFrom: 0 };
  return { ownership, ownedBefore: true };
}

/** Registers a device and gives it back as it stands then. */
export async function registered(
  store: GatewayStore,
  deviceId: string,
  changes: Partial<Device> = {},
): Promise<Device> {
  const device = sampleDevice(deviceId, changes);
  await store.devices.register({ device, event: sampleEvent(deviceId) });
  return device;
}

/** The event of a registration, told apart from others by its details. */
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

/** The event of any transition. */
export function eventOf(
  deviceId: string,
  kind: SecurityEventKind,
  details: JsonObject = {},
): SecurityEvent {
  return { ...sampleEvent(deviceId, details), kind };
}

/** The rules of updates at their defaults. */
export const sampleRules: UpdateRules = {
  maxFailures: 3,
  maxAttempts: 5,
  attemptWindowMs: 180_000,
  blockMs: 86_400_000,
  timeoutMs: 86_400_000,
  silenceMs: 3_600_000,
  toleratedShare: 0.02,
};

/** A record with a timestamp of its own. */
export function sampleRecord(changes: Partial<TelemetryRecord> = {}): TelemetryRecord {
  return {
    at: sampleTime,
    seq: null,
    isTimed: true,
    value: { voltage: 12.5 },
    ...changes,
  };
}

/** What makes a request safe to repeat, for a day. */
export function sampleOnce(key: string, changes: Partial<AppendOnce> = {}): AppendOnce {
  const expiresAt = sampleTime + 86_400_000;
  return { key, fingerprint: "fingerprint", expiresAt, memo: "memo", ...changes };
}

/** Every security event of a device, oldest first. */
export async function eventsOf(
  store: GatewayStore,
  deviceId: string,
): Promise<StoredSecurityEvent[]> {
  const events = await store.securityEvents.list({ after: 0, limit: 10_000 });
  return events.filter((event) => event.deviceId === deviceId);
}

/** The security events of a device after that of its registration: their kinds and details. */
export async function laterEventsOf(
  store: GatewayStore,
  deviceId: string,
): Promise<Pick<SecurityEvent, "kind" | "details">[]> {
  const [, ...events] = await eventsOf(store, deviceId);
  return events.map(({ kind, details }) => ({ kind, details }));
}

/** What a device's records say, in the order of their positions. */
export async function valuesOf(store: GatewayStore, deviceId: string): Promise<JsonObject[]> {
  const records = await store.telemetry.read({ deviceId, after: 0, limit: 10_000 });
  return records.map(({ value }) => value);
}
