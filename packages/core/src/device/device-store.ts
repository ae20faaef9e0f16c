import type { SecurityEvent } from "../audit/security-event.js";
import type { Device } from "./device.js";
import type { DeviceProfile } from "./device-profile.js";

export type RegisterOutcome = { readonly kind: "registered" } | { readonly kind: "exists" };
export type RecordProfileOutcome = { readonly kind: "recorded" } | { readonly kind: "unknown" };

/** Registered devices. Every method resolves when what it wrote is durable. */
export interface DeviceStore {
  /** The device as it stands, or null. Reads what was written last, never a stale copy. */
  find(deviceId: string): Promise<Device | null>;
  /**
   * Inserts a device and its security event, together or not at all. Exactly one of any number
   * of concurrent callers for one `deviceId` gets `registered`; the others change nothing.
   */
  register(input: { device: Device; event: SecurityEvent }): Promise<RegisterOutcome>;
  /** Replaces what the device says of itself, in one statement. */
  recordProfile(input: { deviceId: string; profile: DeviceProfile }): Promise<RecordProfileOutcome>;
}
