import type { EventFilter, SecurityEventStore } from "@device-gateway/core/store";
import type { MemoryState, Transitions } from "../memory-state.js";

const eventsOf = ({ events }: MemoryState, { deviceId, actor, kinds }: EventFilter) =>
  events.filter(
    (event) =>
      (deviceId === undefined || event.deviceId === deviceId) &&
      (actor === undefined || event.actor === actor) &&
      (kinds === undefined || kinds.includes(event.kind)),
  );

export function createMemorySecurityEvents(state: MemoryState): Transitions<SecurityEventStore> {
  return {
    list: ({ after, limit, ...filter }) =>
      eventsOf(state, filter)
        .filter(({ id }) => id > after)
        .slice(0, limit),
    newest: ({ before, limit, ...filter }) =>
      eventsOf(state, filter)
        .filter(({ id }) => id < before)
        .toReversed()
        .slice(0, limit),
    prune({ kind, before, limit }) {
      const old = eventsOf(state, { kinds: [kind] })
        .slice(0, limit)
        .filter(({ at }) => at < before);
      for (const event of old) {
        state.events.splice(state.events.indexOf(event), 1);
        state.prunedEventId = Math.max(state.prunedEventId, event.id);
      }
      return old.length;
    },
    prunedUpTo: () => state.prunedEventId,
  };
}
