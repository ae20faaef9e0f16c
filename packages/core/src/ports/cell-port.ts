import type { AlertRule } from "../alert/alert-rule.js";
import type { StoredSecurityEvent } from "../audit/security-event-store.js";
import type { RolloutTally } from "../ota/release/judge-rollout.js";
import type { Release } from "../ota/release/release.js";
import type { GatewayStore } from "./gateway-store.js";

/**
 * What a store offers beyond its ports, so that it can be the home or a cell of a larger store. Each call is one
 * transaction, and each can be repeated.
 */
export interface CellPort {
  /** Returns what `keepKeyCheck` stored, or null in a new store. */
  keyCheck(): Promise<string | null>;
  /** In the home: returns the id of the last event that was imported from each cell. A cell without one is absent. */
  imports(): Promise<readonly { readonly cell: number; readonly upTo: number }[]>;
  /**
   * In a cell: returns at most `limit` events with an id above `after`, oldest first, and the id after which to continue. This
   * `next` is below `after` if a failover or a restored backup lost the events up to there. Then it is the end of the
   * event log, and there are no events.
   */
  eventsAfter(input: { after: number; limit: number }): Promise<{
    readonly events: readonly StoredSecurityEvent[];
    readonly next: number;
  }>;
  /**
   * In the home: adds events of a cell to the event log, with new ids in their order, and continues after `next`, if `after` is
   * still the id of the last imported one. Otherwise another process has imported events, and the call does nothing. Returns
   * whether it imported.
   */
  importEvents(input: {
    cell: number;
    after: number;
    next: number;
    events: readonly StoredSecurityEvent[];
  }): Promise<boolean>;
  /**
   * In a cell: stores a copy of a release, unless the cell has this revision or a later one. The copy is in the change
   * feed at the time `at` (epoch milliseconds). If the cell counts an earlier `round` of the rollout, it begins this one with an empty tally.
   * Another release of the same version and hardware is withdrawn in the cell and gives its version up: a home that was set back may have lost it.
   */
  copyRelease(input: { release: Release; round: number; at: number }): Promise<void>;
  /** In a cell: stores a copy of a rule that is not about a single device, unless the cell has this revision or a later one. */
  copyRule(rule: AlertRule): Promise<void>;
  /**
   * In a cell: deletes at most `limit` alerts of a copied rule with their notifications. If fewer were left, it also
   * deletes the copy. Returns whether more are left. Ignores a rule that is about one device.
   */
  dropRule(input: { id: string; limit: number }): Promise<{ readonly more: boolean }>;
  /** In a cell: returns the tallies of these releases. A release that the cell does not count is absent. */
  tallies(
    releaseIds: readonly number[],
  ): Promise<readonly { readonly releaseId: number; readonly tally: RolloutTally }[]>;
}

/** A store that can be the home or a cell of a larger store. */
export interface CellStore extends GatewayStore {
  readonly cell: CellPort;
}
