import type { SecurityEvent } from "../audit/security-event.js";
import type { JsonObject } from "../shared/json.js";

export type ReplaceOverridesOutcome =
  | { readonly kind: "replaced"; readonly revision: number }
  | { readonly kind: "conflict" }
  | { readonly kind: "unknown" };

/** Writes the device layer of the configuration. `DeviceStore.find` reads it. */
export interface ConfigStore {
  /**
   * Replaces a device's overrides and writes the event, in one transaction, if their revision is still
   * `expectedRevision`. Returns `conflict` if it is not, and `unknown` if the device does not exist or `ownerId`
   * is neither null nor its owner. The change appears in the change feed.
   */
  replaceOverrides(input: {
    deviceId: string;
    ownerId: string | null;
    values: JsonObject;
    expectedRevision: number;
    event: SecurityEvent;
  }): Promise<ReplaceOverridesOutcome>;
}
