import type { GatewayStore, SecurityEvent, StoredTelemetryRecord } from "../store.js";
import type { MemoryState } from "./memory/memory-state.js";
import { createMemoryStore } from "./memory-store.js";

/**
 * Creates a store that checks, lets others run, then acts on what it saw: the mistakes that the
 * conformance suite must reject. Right as long as its calls come one after the other.
 */
export function createRacyStore(state: MemoryState): GatewayStore {
  const right = createMemoryStore(state);
  const writeEvent = writeEventsLate(state);
  const answer =
    <Input, Output>(method: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      const copy = structuredClone(input);
      await right.ping();
      return method(copy);
    };
  return {
    ...right,
    devices: {
      find: right.devices.find,
      register: answer(async ({ device, event }) => {
        if (state.devices.has(device.deviceId)) return { kind: "exists" };
        await othersRun();
        state.devices.set(device.deviceId, device);
        await writeEvent(event);
        return { kind: "registered" };
      }),
      recordProfile: answer(async ({ deviceId, profile }) => {
        const device = state.devices.get(deviceId);
        if (device === undefined) return { kind: "unknown" };
        await othersRun();
        state.devices.set(deviceId, { ...device, profile });
        return { kind: "recorded" };
      }),
    },
    config: {
      replaceOverrides: answer(async ({ deviceId, values, expectedRevision, event }) => {
        const device = state.devices.get(deviceId);
        if (device === undefined) return { kind: "unknown" };
        if (device.configOverrides.revision !== expectedRevision) return { kind: "conflict" };
        await othersRun();
        const revision = expectedRevision + 1;
        state.devices.set(deviceId, { ...device, configOverrides: { values, revision } });
        await writeEvent(event);
        return { kind: "replaced", revision };
      }),
    },
    telemetry: { append: answer(appendRacily(state)), read: right.telemetry.read },
  };
}

/** Takes an id, and shows the event when later ones can be seen already. */
function writeEventsLate(state: MemoryState): (event: SecurityEvent) => Promise<void> {
  let calls = 0;
  return async (event) => {
    state.lastEventId += 1;
    const id = state.lastEventId;
    for (let wait = calls++ % 3; wait > 0; wait--) await othersRun();
    state.events.push({ ...event, id });
    state.events.sort((a, b) => a.id - b.id);
  };
}

/** Races for the key, for what is a duplicate, and between taking a position and showing it. */
function appendRacily(state: MemoryState): GatewayStore["telemetry"]["append"] {
  let calls = 0;
  return async (input) => {
    const seen: MemoryState = {
      ...state,
      records: new Map(),
      identities: new Set(state.identities),
      usedKeys: new Map(state.usedKeys),
    };
    const outcome = await createMemoryStore(seen).telemetry.append(input);
    state.lastPosition = Math.max(state.lastPosition, seen.lastPosition);
    for (let wait = 1 + (calls++ % 3); wait > 0; wait--) await othersRun();
    for (const identity of seen.identities) state.identities.add(identity);
    for (const [key, used] of seen.usedKeys) state.usedKeys.set(key, used);
    show(state, input.deviceId, seen.records.get(input.deviceId) ?? []);
    return outcome;
  };
}

function show(state: MemoryState, deviceId: string, late: readonly StoredTelemetryRecord[]): void {
  const records = [...(state.records.get(deviceId) ?? []), ...late];
  state.records.set(
    deviceId,
    records.sort((a, b) => a.position - b.position),
  );
}

const othersRun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
