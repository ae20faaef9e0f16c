import { type CellPort, holdsItsVersion, newTally } from "@device-gateway/core/store";
import { deleteRule } from "./alert/memory-alerts.js";
import { type MemoryState, type Transitions, writeChange, writeEvent } from "./memory-state.js";

export function createMemoryCell(state: MemoryState): Transitions<CellPort> {
  return {
    keyCheck: () => state.keyCheck ?? null,

    imports: () => [...state.importedEvents].map(([cell, upTo]) => ({ cell, upTo })),

    eventsAfter({ after, limit }) {
      if (after > state.lastEventId) return { events: [], next: state.lastEventId };
      const events = state.events.filter(({ id }) => id > after).slice(0, limit);
      return { events, next: events.at(-1)?.id ?? after };
    },

    importEvents({ cell, after, next, events }) {
      if ((state.importedEvents.get(cell) ?? 0) !== after) return false;
      for (const { id: _, ...event } of events) writeEvent(state, event);
      state.importedEvents.set(cell, next);
      return true;
    },

    copyRelease({ release, round, at }) {
      const tally = state.tallies.get(release.id) ?? newTally;
      if (tally.round < round) state.tallies.set(release.id, { ...newTally, round });
      if ((state.releases.get(release.id)?.revision ?? 0) >= release.revision) return;
      for (const other of state.releases.values()) {
        const isSame =
          other.version === release.version && other.targetHardware === release.targetHardware;
        if (isSame && other.id !== release.id && holdsItsVersion(release)) {
          state.releases.set(other.id, { ...other, status: "withdrawn", activatedAt: null });
        }
      }
      state.releases.set(release.id, release);
      writeChange(state, null, at);
    },

    copyRule(rule) {
      if ((state.alertRules.get(rule.id)?.revision ?? 0) >= rule.revision) return;
      state.alertRules.set(rule.id, rule);
    },

    dropRule({ id, limit }) {
      const rule = state.alertRules.get(id);
      if (rule === undefined || rule.deviceId !== null) return { more: false };
      return deleteRule(state, id, limit);
    },

    tallies: (releaseIds) =>
      releaseIds.flatMap((releaseId) => {
        const tally = state.tallies.get(releaseId);
        return tally === undefined ? [] : [{ releaseId, tally }];
      }),
  };
}
