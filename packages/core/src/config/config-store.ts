import type { SecurityEvent } from "../audit/security-event.js";
import type { JsonObject } from "../shared/json.js";

export type ReplaceOverridesOutcome =
  | { readonly kind: "replaced"; readonly revision: number }
  | { readonly kind: "conflict" }
  | { readonly kind: "unknown" };

/** The device layer of the configuration. It is read with the device. */
export interface ConfigStore {
  /**
   * Replaces a device's overrides and writes the event, together, if their revision still is
   * `expectedRevision`. `conflict` when another writer came first, `unknown` without such a
   * device, or when `ownerId` is not null and not its owner. It is in the change feed.
   */
  replaceOverrides(input: {
    deviceId: string;
    ownerId: string | null;
    values: JsonObject;
    expectedRevision: number;
    event: SecurityEvent;
  }): Promise<ReplaceOverridesOutcome>;
}
