import { canonicalJson, type MetricStore } from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeEvent } from "../memory-state.js";

export function createMemoryMetrics(state: MemoryState): Transitions<MetricStore> {
  const find = (targetHardware: string) => state.metrics.get(targetHardware) ?? null;
  return {
    find,

    replace({ targetHardware, expected, next, event }) {
      if (canonicalJson(find(targetHardware)) !== canonicalJson(expected)) {
        return { kind: "conflict" };
      }
      if (next === null) state.metrics.delete(targetHardware);
      else state.metrics.set(targetHardware, next);
      writeEvent(state, event);
      return { kind: "replaced" };
    },
  };
}
