import type { MemoryState } from "../memory-state.js";

/** Ends what belongs to a device's owner, or everything about the device if the owner is undefined. */
export function endAlertsOf(state: MemoryState, deviceId: string, ownerId?: string): void {
  const mayManage = (one: { deviceId: string | null; ownerId: string | null }) =>
    one.deviceId === deviceId && (ownerId === undefined || one.ownerId === ownerId);
  for (const all of [state.alertRules, state.alerts, state.alertNotifications]) {
    for (const [key, one] of all) if (mayManage(one)) all.delete(key);
  }
  if (ownerId === undefined) state.alertWatches.delete(deviceId);
}
