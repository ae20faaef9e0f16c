import type { CellStore, GatewayStore, Logger } from "@device-gateway/core/store";
import { createCellsAlerts } from "./alert/cells-alerts.js";
import { toCells } from "./cells.js";
import { createCellsChanges } from "./cells-changes.js";
import { createCellsCommands, createCellsDevices, createCellsMetadata } from "./cells-devices.js";
import { createCellsEvents } from "./cells-events.js";
import { createCellsReleases } from "./cells-releases.js";
import { createCellsTelemetry } from "./cells-telemetry.js";
import { createCellsOtaEvents, createCellsRefusals, createCellsUpdates } from "./cells-updates.js";
import { createCopies } from "./copies.js";
import { askAll } from "./fan-out.js";
import { createLayoutCheck } from "./layout-check.js";
import { createSettle } from "./settle.js";

export interface CellsStoreOptions {
  /** The store of everything that belongs to no device: releases, budgets, webhooks, followers, and the event log. */
  readonly home: CellStore;
  /**
   * The stores of the devices. Their number and order decide where a device is, so they never change once a device is
   * registered.
   */
  readonly cells: readonly CellStore[];
  /** Receives a warning if a cell does not have the latest releases yet. */
  readonly logger?: Logger;
}

/**
 * Creates a store that spreads devices over cells, by a hash of their ids. Whatever a device does is one transaction in
 * its cell. It needs neither the home nor another cell. Lists over devices need all cells, and reject with
 * `StoreUnavailableError` if one is down.
 * @throws {TypeError} if there are no cells.
 *
 * @example
 * const [home, ...cells] = await openPostgresStores({ url, schemas: ["home", "cell_0", "cell_1"] });
 * const store = createCellsStore({ home, cells });
 */
export function createCellsStore({ home, cells, logger }: CellsStoreOptions): GatewayStore {
  if (cells.length === 0) throw new TypeError("cells: pass at least one cell.");
  const all = toCells(home, cells, logger);
  const { of, inCell } = all;
  const copies = createCopies(all);
  return {
    devices: createCellsDevices(all),
    claims: {
      claim: inCell((cell, input) => cell.claims.claim(input)),
      assign: inCell((cell, input) => cell.claims.assign(input)),
      release: inCell((cell, input) => cell.claims.release(input)),
    },
    config: {
      replaceOverrides: (input) => of(input.deviceId).config.replaceOverrides(input),
    },
    metadata: createCellsMetadata(all),
    commands: createCellsCommands(all),
    telemetry: createCellsTelemetry(all),
    refusals: createCellsRefusals(all),
    otaEvents: createCellsOtaEvents(all),
    updates: createCellsUpdates(all),
    releases: createCellsReleases(all, copies),
    alerts: createCellsAlerts(all, copies),
    securityEvents: createCellsEvents(all),
    changes: createCellsChanges(all, copies.forget),
    metrics: home.metrics,
    budgets: home.budgets,
    followers: home.followers,
    webhooks: home.webhooks,
    settle: createSettle(all, copies),
    keepKeyCheck: createLayoutCheck(all),
    // A load balancer must not take this server out of service because one of several databases is down.
    ping: () =>
      askAll(
        [home, ...cells],
        (store) => store.ping(),
        () => true,
      ),
    async close() {
      await Promise.all([home, ...cells].map((store) => store.close()));
    },
  };
}
