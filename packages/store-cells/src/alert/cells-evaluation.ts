import type { AlertStore, AlertTransition, CellStore } from "@device-gateway/core/store";
import type { Cells } from "../cells.js";

type Evaluation = "due" | "findWatch" | "judge";

const deviceOf = (transition: AlertTransition): string => {
  if (transition.kind === "firing") return transition.alert.deviceId;
  return transition.kind === "reminded"
    ? transition.notification.deviceId
    : transition.event.deviceId;
};

/** The place of a page of `due`: a cell, and the place in this cell. */
const toPlace = (cell: number, after: string) => `${cell}:${after}`;

function fromPlace(place: string): { readonly cell: number; readonly after: string } {
  const [cell = "0"] = place.split(":", 1);
  return { cell: Number(cell), after: place.slice(cell.length + 1) };
}

/** A device is judged in its cell. The watch of the fleet is at home. */
export function createCellsEvaluation({ home, cells, of }: Cells): Pick<AlertStore, Evaluation> {
  const storeOf = (deviceId: string): CellStore => (deviceId === "" ? home : of(deviceId));

  /** Applies transitions in a cell. Its own watch of the fleet only carries the revision. */
  async function applyIn(
    { alerts }: CellStore,
    transitions: readonly AlertTransition[],
    fleet: Parameters<AlertStore["judge"]>[0]["watch"],
  ): Promise<void> {
    for (;;) {
      const expectedRevision = (await alerts.findWatch(""))?.revision ?? null;
      const watch = { ...fleet, content: {}, revision: (expectedRevision ?? 0) + 1 };
      const { kind } = await alerts.judge({ watch, expectedRevision, owner: null, transitions });
      if (kind === "judged") return;
    }
  }

  return {
    async due({ after, ...input }) {
      const place = fromPlace(after);
      const cell = cells[place.cell];
      if (cell === undefined) return { devices: [], next: null, watched: 0, overdue: 0 };
      const page = await cell.alerts.due({ ...input, after: place.after });
      if (page.next !== null) return { ...page, next: toPlace(place.cell, page.next) };
      const isLast = place.cell === cells.length - 1;
      return { ...page, next: isLast ? null : toPlace(place.cell + 1, "") };
    },

    findWatch: (deviceId) => storeOf(deviceId).alerts.findWatch(deviceId),

    async judge(input) {
      const { watch, transitions } = input;
      if (watch.deviceId !== "") return of(watch.deviceId).alerts.judge(input);
      // The cells come first. After a crash before the home's part, the transitions are repeated. A repeated transition
      // does nothing if its alert is already firing, or has already cleared.
      for (const cell of new Set(transitions.map((one) => storeOf(deviceOf(one))))) {
        if (cell === home) continue;
        const some = transitions.filter((one) => storeOf(deviceOf(one)) === cell);
        await applyIn(cell, some, watch);
      }
      const own = transitions.filter((one) => storeOf(deviceOf(one)) === home);
      return home.alerts.judge({ ...input, transitions: own });
    },
  };
}
