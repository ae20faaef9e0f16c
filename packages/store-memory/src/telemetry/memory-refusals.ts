import type { RefusalStore, TelemetryRefusal } from "@device-gateway/core/store";
import type { MemoryState, Transitions } from "../memory-state.js";

export function createMemoryRefusals(state: MemoryState): Transitions<RefusalStore> {
  const list = ({ deviceId, from }: { deviceId: string; from: number }) =>
    (state.refusals.get(deviceId) ?? [])
      .filter(({ firstAt }) => firstAt >= from)
      .sort((a, b) => b.lastAt - a.lastAt || (a.code < b.code ? -1 : 1));
  return {
    add({ deviceId, now, since, refusals }) {
      if (!state.devices.has(deviceId)) return;
      const entries = new Map(
        (state.refusals.get(deviceId) ?? []).map((entry) => [entry.code, entry]),
      );
      for (const { code, message, count } of refusals) {
        const known = entries.get(code);
        const before = known !== undefined && known.firstAt >= since ? known : undefined;
        const entry: TelemetryRefusal = {
          ...{
            code,
            message,
            count: (before?.count ?? 0) + count,
            firstAt: before?.firstAt ?? now,
          },
          lastAt: Math.max(before?.lastAt ?? now, now),
        };
        entries.set(code, entry);
      }
      state.refusals.set(deviceId, [...entries.values()]);
    },

    list,

    latest: (devices) => devices.map((device) => list(device)[0]?.lastAt ?? null),
  };
}
