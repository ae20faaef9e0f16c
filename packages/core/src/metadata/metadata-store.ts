import type { SecurityEvent } from "../audit/security-event.js";
import type { Device } from "../device/device.js";
import type { JsonObject } from "../shared/json.js";

/** The embedder's facts about a device. */
export interface DeviceMetadata {
  readonly values: JsonObject;
  /** When each key of `values` was set, in epoch milliseconds. */
  readonly setAt: Readonly<Record<string, number>>;
}

export type ReplaceMetadataOutcome = { readonly kind: "replaced" | "conflict" | "unknown" };

/** Stores the embedder's facts about devices. The erasure of a device deletes them, and its release does not. */
export interface MetadataStore {
  /** Returns the metadata of a device, or null if it has none or does not exist. */
  find(deviceId: string): Promise<DeviceMetadata | null>;
  /**
   * Replaces a device's metadata and its index entries and writes the event, in one transaction, if the metadata is
   * still `expected` (null: no metadata). Returns `conflict` if the metadata differs, and `unknown` if the device does
   * not exist. `index` has the text by which `listDevices` finds the device, by key. It is empty if `next` is null.
   */
  replace(input: {
    deviceId: string;
    expected: DeviceMetadata | null;
    next: DeviceMetadata | null;
    index: Readonly<Record<string, string>>;
    event: SecurityEvent;
  }): Promise<ReplaceMetadataOutcome>;
  /**
   * Returns at most `limit` devices whose index entry of this key has exactly this value and whose id is above `after`,
   * ordered by the UTF-8 bytes of the id. Its duration does not depend on the size of the fleet.
   */
  listDevices(input: {
    key: string;
    value: string;
    after: string;
    limit: number;
  }): Promise<readonly Device[]>;
}
