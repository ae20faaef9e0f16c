import type { DeviceStore, SecurityEvent } from "@device-gateway/core/store";
import { lastRegisteredAt } from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeChange, writeEvent } from "../memory-state.js";
import { endAlertsOf } from "./memory-alert-endings.js";

export function createMemoryRemoval(
  state: MemoryState,
): Transitions<Pick<DeviceStore, "erase" | "dropUnused">> {
  return {
    erase({ deviceId, block, event }) {
      if (!state.devices.has(deviceId)) return { kind: "unknown" };
      if (block) state.blockedIds.add(deviceId);
      remove(state, event);
      return { kind: "recorded" };
    },

    dropUnused({ deviceId, registeredBefore, limit, event }) {
      const dropped = [...state.devices.values()]
        .filter((device) => deviceId === null || device.deviceId === deviceId)
        .filter((device) => lastRegisteredAt(device) < registeredBefore)
        .filter(({ firstUsedAt, ownership }) => firstUsedAt === null && ownership === null)
        .filter(({ revokedAt }) => revokedAt === null)
        .sort(
          (a, b) => lastRegisteredAt(a) - lastRegisteredAt(b) || a.registeredAt - b.registeredAt,
        )
        .slice(0, limit)
        .map((device) => device.deviceId);
      for (const id of dropped) remove(state, { ...event, deviceId: id });
      return dropped;
    },
  };
}

function remove(state: MemoryState, event: SecurityEvent): void {
  state.devices.delete(event.deviceId);
  state.telemetry.delete(event.deviceId);
  state.metadata.delete(event.deviceId);
  state.refusals.delete(event.deviceId);
  state.commands.delete(event.deviceId);
  endAlertsOf(state, event.deviceId);
  for (const [key, { deviceId }] of state.updates) {
    if (deviceId === event.deviceId) state.updates.delete(key);
  }
  const kept = state.otaEvents.filter(({ deviceId }) => deviceId !== event.deviceId);
  state.otaEvents.splice(0, state.otaEvents.length, ...kept);
  writeChange(state, event.deviceId, event.at);
  writeEvent(state, event);
}
