import type { AlertTransition, AlertWatch, Clock, GatewayStore } from "@device-gateway/core/store";
import { type FleetNotes, readFleetNotes, toFleetContent } from "./fleet-notes.js";

/** Reads and replaces the watch of the fleet. */
export interface FleetWatch {
  /** Returns the watch with its notes. Null: nothing was evaluated yet, and the notes are those to begin with. */
  find(): Promise<{ readonly watch: AlertWatch | null; readonly notes: FleetNotes }>;
  /** Writes the fleet's notes. Another process may have been faster: then its notes count. */
  judge(
    before: AlertWatch | null,
    notes: FleetNotes,
    transitions?: readonly AlertTransition[],
  ): Promise<void>;
}

export function createFleetWatch(
  { alerts, securityEvents }: GatewayStore,
  clock: Clock,
): FleetWatch {
  return {
    async find() {
      const watch = await alerts.findWatch("");
      if (watch !== null) return { watch, notes: readFleetNotes(watch) };
      const now = clock.now();
      const [newest] = await securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
      return { watch, notes: { beatAt: now, countedFrom: now, eventId: newest?.id ?? 0 } };
    },

    async judge(before, notes, transitions = []) {
      const now = clock.now();
      await alerts.judge({
        watch: {
          ...{ deviceId: "", revision: (before?.revision ?? 0) + 1 },
          ...{ content: toFleetContent(notes), receivedAt: now, dueAt: now, silentAt: null },
        },
        expectedRevision: before?.revision ?? null,
        owner: null,
        transitions,
      });
    },
  };
}
