import { holdsItsVersion, type ReleaseStore } from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeRelease } from "../memory-state.js";

export function createMemoryReleases(state: MemoryState): Transitions<ReleaseStore> {
  return {
    create({ release, event }) {
      const holder = [...state.releases.values()].find(
        (other) =>
          other.version === release.version &&
          other.targetHardware === release.targetHardware &&
          holdsItsVersion(other),
      );
      if (holder !== undefined) return { kind: "exists", release: holder };
      state.lastReleaseId += 1;
      const created = { ...release, id: state.lastReleaseId, revision: 1 };
      writeRelease(state, created, event);
      return { kind: "created", release: created };
    },

    find: (id) => state.releases.get(id) ?? null,

    list: ({ targetHardware, rolloutChannel, statuses, before, limit }) =>
      [...state.releases.values()]
        .filter((release) => release.id < before && statuses.includes(release.status))
        .filter((release) => (targetHardware ?? release.targetHardware) === release.targetHardware)
        .filter((release) => (rolloutChannel ?? release.rolloutChannel) === release.rolloutChannel)
        .sort((a, b) => b.id - a.id)
        .slice(0, limit),

    offerable: () =>
      [...state.releases.values()]
        .filter(({ status }) => status === "active")
        .sort((a, b) => a.id - b.id),

    change({ id, expectedRevision, changes, event }) {
      const release = state.releases.get(id);
      if (release === undefined) return { kind: "unknown" };
      if (release.revision !== expectedRevision) return { kind: "conflict" };
      const changed = { ...release, ...changes, revision: expectedRevision + 1 };
      writeRelease(state, changed, event);
      return { kind: "changed", release: changed };
    },
  };
}
