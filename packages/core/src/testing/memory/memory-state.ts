import type {
  AppendOnce,
  AppendVerdict,
  Device,
  SecurityEvent,
  StoredSecurityEvent,
  StoredTelemetryRecord,
} from "../../store.js";

export interface UsedKey extends AppendOnce {
  readonly verdicts: readonly AppendVerdict[];
}

/** What the stores that share it have stored. */
export interface MemoryState {
  readonly devices: Map<string, Device>;
  /** Per device, ascending by position. */
  readonly records: Map<string, StoredTelemetryRecord[]>;
  /** What tells stored records apart, for those that can be duplicates. */
  readonly identities: Set<string>;
  /** Per device and key. */
  readonly usedKeys: Map<string, UsedKey>;
  readonly events: StoredSecurityEvent[];
  lastPosition: number;
  lastEventId: number;
}

export function createMemoryState(): MemoryState {
  return {
    devices: new Map(),
    records: new Map(),
    identities: new Set(),
    usedKeys: new Map(),
    events: [],
    lastPosition: 0,
    lastEventId: 0,
  };
}

export function writeEvent(state: MemoryState, event: SecurityEvent): void {
  state.lastEventId += 1;
  state.events.push({ ...event, id: state.lastEventId });
}

/** A port whose methods answer at once: nothing can come between two lines of them. */
export type Transitions<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (
    input: infer Input,
  ) => Promise<infer Output>
    ? (input: Input) => Output
    : never;
};
