import type { SecurityEvent } from "../audit/security-event.js";
import type { JsonObject } from "../json.js";

export type ReplaceOverridesOutcome =
  | { readonly kind: "replaced"; readonly revision: number }
  | { readonly kind: "conflict" }
  | { readonly kind: "unknown" };

/** The device layer of the configuration. It is read with the device. */
export interface ConfigStore {
  /**
   * Replaces a device's overrides and writes the event, together, if their revision still is
   * `expectedRevision`. `conflict` when another writer came first, `unknown` without such a device.
   */
  replaceOverrides(input: {
    deviceId: string;
    values: JsonObject;
    expectedRevision: number;
    event: SecurityEvent;
  }): Promise<ReplaceOverridesOutcome>;
}
