import type {
  AppendOnce,
  Device,
  GatewayStore,
  JsonObject,
  SecurityEvent,
  StoredSecurityEvent,
  TelemetryRecord,
} from "../../store.js";

/** An hour of the year 2025, in epoch milliseconds. */
export const sampleTime: number = Date.UTC(2025, 5, 1, 12);

/** A device as it stands after its first registration. */
export function sampleDevice(deviceId: string, changes: Partial<Device> = {}): Device {
  return {
    deviceId,
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
    credential: { secretHash: "secret-hash", epoch: 1 },
    configOverrides: { values: {}, revision: 0 },
    registeredAt: sampleTime,
    ...changes,
  };
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

/** A record with a timestamp of its own. */
export function sampleRecord(changes: Partial<TelemetryRecord> = {}): TelemetryRecord {
  return {
    at: sampleTime,
    seq: null,
    contentHash: "content-hash",
    body: '{"voltage":12.5}',
    metrics: [{ name: "voltage", value: 12.5 }],
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

/** The bodies of a device's records, in the order of their positions. */
export async function bodiesOf(store: GatewayStore, deviceId: string): Promise<string[]> {
  const records = await store.telemetry.read({ deviceId, after: 0, limit: 10_000 });
  return records.map(({ body }) => body);
}
