import {
  type Alert,
  type AlertNotification,
  type AlertStore,
  compareBytes,
  StoreUnavailableError,
} from "@device-gateway/core/store";
import type { Cells } from "../cells.js";
import type { Copies } from "../copies.js";
import { askAll, askAvailable, mergePages, workInTurn } from "../fan-out.js";
import { createCellsEvaluation } from "./cells-evaluation.js";
import { createCellsRules } from "./cells-rules.js";

const latestFirst = (a: Alert, b: Alert) => b.firedAt - a.firedAt || compareBytes(b.id, a.id);

/** Alerts of devices are in their cells. Those of releases and of the fleet are at home. */
export function createCellsAlerts(all: Cells, copies: Copies): AlertStore {
  const stores = [all.home, ...all.cells];
  const isKnown = ({ kind }: { readonly kind: string }) => kind !== "unknown";
  return {
    ...createCellsRules(all, copies),
    ...createCellsEvaluation(all),

    find: (id) =>
      askAll(
        stores,
        ({ alerts }) => alerts.find(id),
        (alert) => alert !== null,
      ),
    list: (input) =>
      mergePages(stores, ({ alerts }) => alerts.list(input), latestFirst, input.limit),
    firing: (subjects) =>
      mergePages(
        stores,
        ({ alerts }) => alerts.firing(subjects),
        (a, b) => compareBytes(a.id, b.id),
        Number.POSITIVE_INFINITY,
      ),
    acknowledge: (input) => askAll(stores, ({ alerts }) => alerts.acknowledge(input), isKnown),
    mute: (input) => askAll(stores, ({ alerts }) => alerts.mute(input), isKnown),

    async takeNotifications(input) {
      const taken: AlertNotification[] = [];
      const takeAtMost = (most: number) =>
        workInTurn(stores, input.limit - taken.length, async ({ alerts }, left) => {
          const limit = Math.min(left, most);
          const some = await alerts.takeNotifications({ ...input, limit });
          taken.push(...some);
          return some.length;
        });
      try {
        // Takes the same share from each store first, so that a store with many notifications does not delay the mail
        // of the others.
        await takeAtMost(Math.max(1, Math.floor(input.limit / stores.length)));
        await takeAtMost(input.limit);
      } catch (error) {
        // A store that is down does not delay the mail of the others.
        if (taken.length === 0) throw error;
      }
      return taken.sort((a, b) => a.at - b.at || compareBytes(a.id, b.id));
    },
    async settleNotification(input) {
      // A notification of a store that is down stays taken until its lease expires, and is then delivered again.
      const settled = await askAvailable(stores, ({ alerts }) => alerts.settleNotification(input));
      if (settled.length === 0) throw new StoreUnavailableError("No database is available.");
    },
    prune: (input) =>
      workInTurn(stores, input.limit, ({ alerts }, limit) => alerts.prune({ ...input, limit })),
  };
}
