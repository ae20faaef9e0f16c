import {
  advanceUpdate,
  type DeviceUpdate,
  haltRelease,
  isUnderWay,
  newTally,
  type OtaEvent,
  type OtaState,
  type Release,
  type ReportInput,
  type ReportOutcome,
  toMoveEvent,
  type UpdateFacts,
  type UpdateStep,
  type UpdateStore,
} from "@device-gateway/core/store";
import {
  changeDevice,
  type MemoryState,
  type Transitions,
  writeChange,
  writeEvent,
  writeRelease,
} from "../memory-state.js";

const keyOf = (deviceId: string, releaseId: number) => `${releaseId}\n${deviceId}`;

export function createMemoryUpdates(state: MemoryState): Transitions<UpdateStore> {
  return {
    report: (input) => applyReport(state, input),

    list: (deviceId) =>
      [...state.updates.values()]
        .filter((update) => update.deviceId === deviceId)
        .sort((a, b) => b.updatedAt - a.updatedAt || b.releaseId - a.releaseId),

    counts(releaseId) {
      const counts: Partial<Record<OtaState, number>> = {};
      for (const update of state.updates.values()) {
        if (update.releaseId !== releaseId) continue;
        counts[update.state] = (counts[update.state] ?? 0) + 1;
      }
      return counts;
    },

    overdue: ({ before, silentSince, limit }) =>
      [...state.updates.values()]
        .filter((update) => isUnderWay(update.state))
        .filter((update) => {
          const seenAt = state.devices.get(update.deviceId)?.lastSeenAt ?? 0;
          const heardAt = Math.max(seenAt, update.updatedAt);
          const silent = update.state !== "downloading" && heardAt < silentSince;
          return silent || update.updatedAt < before;
        })
        .sort((a, b) => a.updatedAt - b.updatedAt)
        .slice(0, limit)
        .flatMap((update) => {
          const release = state.releases.get(update.releaseId);
          const device = state.devices.get(update.deviceId);
          if (release === undefined || device === undefined) return [];
          const { firmwareVersion } = device.profile;
          return [{ ...update, version: release.version, firmwareVersion }];
        }),

    setOtaTarget({ deviceId, channel, pinnedVersion, benchMode, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      const ota = {
        ...device.ota,
        ...(channel !== undefined && { channel }),
        ...(pinnedVersion !== undefined && { pinnedVersion }),
        ...(benchMode !== undefined && { benchMode }),
      };
      changeDevice(state, device, { ota }, event);
      return { kind: "recorded" };
    },

    clearBlocks({ deviceId, event }) {
      const device = state.devices.get(deviceId);
      if (device === undefined) return { kind: "unknown" };
      for (const [key, update] of state.updates) {
        if (update.deviceId !== deviceId) continue;
        state.updates.set(key, { ...update, attempts: [], failures: 0 });
      }
      changeDevice(state, device, { ota: { ...device.ota, blocks: [] } }, event);
      return { kind: "recorded" };
    },

    prune({ movedBefore, limit }) {
      const old = [...state.updates]
        .filter(([, { state: is, updatedAt }]) => !isUnderWay(is) && updatedAt < movedBefore)
        .sort(([, a], [, b]) => a.updatedAt - b.updatedAt)
        .slice(0, limit);
      for (const [key] of old) state.updates.delete(key);
      return old.length;
    },
  };
}

/** Applies a report within the caller's transition. */
export function applyReport(state: MemoryState, { report, rules }: ReportInput): ReportOutcome {
  const { deviceId, offeredVersion } = report.event;
  const device = state.devices.get(deviceId);
  if (device === undefined) return { state: null, moved: null, halt: null };
  const release =
    report.releaseId === null
      ? findRelease(state, device.profile.targetHardware, offeredVersion)
      : (state.releases.get(report.releaseId) ?? null);
  const key = release === null ? "" : keyOf(deviceId, release.id);
  const facts: UpdateFacts = {
    release,
    update: state.updates.get(key) ?? null,
    standing: device.ota,
    tally: (release && state.tallies.get(release.id)) ?? newTally,
    benchMode: device.ota.benchMode,
  };
  const step = advanceUpdate(facts, report, rules);
  write(state, report.event, release, step);
  const update: DeviceUpdate | null = step.update ?? facts.update;
  return { state: update?.state ?? null, moved: step.moved, halt: step.halt };
}

/** Returns the release that the device can have been offered. Once active, a release keeps its version for good. */
const findRelease = (state: MemoryState, targetHardware: string, version: string | null) =>
  [...state.releases.values()].find(
    (release) =>
      release.version === version &&
      release.targetHardware === targetHardware &&
      release.activatedAt !== null,
  ) ?? null;

function write(
  state: MemoryState,
  event: OtaEvent,
  release: Release | null,
  { recorded, update, standing, tally, halt, forgetsStatus, moved }: UpdateStep,
): void {
  const { deviceId, createdAt } = event;
  if (recorded !== null) writeOtaEvent(state, recorded);
  if (moved !== null) writeEvent(state, toMoveEvent(moved));
  if (update !== null) state.updates.set(keyOf(deviceId, update.releaseId), update);
  if (release !== null && tally !== null) state.tallies.set(release.id, tally);
  if (release !== null && halt !== null) {
    writeRelease(state, haltRelease(release, createdAt), halt);
  }
  const device = state.devices.get(deviceId);
  if (device === undefined || (standing === null && !forgetsStatus)) return;
  const otaFingerprint = forgetsStatus ? null : device.otaFingerprint;
  state.devices.set(deviceId, { ...device, otaFingerprint, ota: { ...device.ota, ...standing } });
  writeChange(state, deviceId, createdAt);
}

/** Adds an event to the OTA history within the caller's transition. */
export function writeOtaEvent(state: MemoryState, event: OtaEvent): void {
  state.lastOtaEventId += 1;
  state.otaEvents.push({ ...event, id: state.lastOtaEventId });
}
