import type { AppendInput, AppendVerdict, TelemetryRecord, TelemetryStore } from "../../store.js";
import type { MemoryState, Transitions } from "./memory-state.js";

export function createMemoryTelemetry(state: MemoryState): Transitions<TelemetryStore> {
  return {
    append(input) {
      const { deviceId, receivedAt, once } = input;
      forgetExpiredKeys(state, receivedAt);
      const usedKey = once && state.usedKeys.get(identify(deviceId, once.key));
      if (once && usedKey) {
        if (usedKey.fingerprint !== once.fingerprint) return { kind: "key_reused" };
        return { kind: "repeated", verdicts: usedKey.verdicts, memo: usedKey.memo };
      }
      const verdicts = input.records.map((record) => store(state, input, record));
      if (once) state.usedKeys.set(identify(deviceId, once.key), { ...once, verdicts });
      return { kind: "appended", verdicts };
    },

    read: ({ deviceId, after, limit }) =>
      (state.records.get(deviceId) ?? [])
        .filter(({ position }) => position > after)
        .slice(0, limit),
  };
}

function store(
  state: MemoryState,
  { deviceId, receivedAt }: AppendInput,
  { at, seq, contentHash, body }: TelemetryRecord,
): AppendVerdict {
  if (contentHash !== null) {
    const identity = identify(deviceId, at, seq, contentHash);
    if (state.identities.has(identity)) return "duplicate";
    state.identities.add(identity);
  }
  state.lastPosition += 1;
  const stored = { position: state.lastPosition, at, receivedAt, seq, body };
  const records = state.records.get(deviceId);
  if (records) records.push(stored);
  else state.records.set(deviceId, [stored]);
  return "stored";
}

function forgetExpiredKeys(state: MemoryState, now: number): void {
  for (const [identity, { expiresAt }] of state.usedKeys) {
    if (expiresAt < now) state.usedKeys.delete(identity);
  }
}

/** Joins parts so that other parts never give the same text. */
const identify = (...parts: readonly (string | number | null)[]): string => JSON.stringify(parts);
