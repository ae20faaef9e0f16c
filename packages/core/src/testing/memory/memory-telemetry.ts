import type { AppendInput, AppendVerdict, TelemetryRecord, TelemetryStore } from "../../store.js";
import { latestOf } from "./memory-devices.js";
import type { MemoryState, SentTelemetry, Transitions } from "./memory-state.js";

export function createMemoryTelemetry(state: MemoryState): Transitions<TelemetryStore> {
  return {
    append(input) {
      const { deviceId, receivedAt, once } = input;
      if (!state.devices.has(deviceId)) return { kind: "unknown_device" };
      const sent = sentBy(state, deviceId);
      forgetExpiredKeys(sent, receivedAt);
      const usedKey = once && sent.usedKeys.get(once.key);
      if (once && usedKey) {
        if (usedKey.fingerprint !== once.fingerprint) return { kind: "key_reused" };
        return { kind: "repeated", verdicts: usedKey.verdicts, memo: usedKey.memo };
      }
      const verdicts = input.records.map((record) => store(state, sent, input, record));
      if (once) sent.usedKeys.set(once.key, { ...once, verdicts });
      see(state, input);
      return { kind: "appended", verdicts };
    },

    latest: (devices) =>
      devices.map(({ deviceId, from }) => {
        const records = (state.telemetry.get(deviceId)?.records ?? [])
          .filter(({ at, receivedAt }) => at >= from && receivedAt >= from)
          .sort((a, b) => a.at - b.at || a.position - b.position);
        return records.at(-1) ?? null;
      }),

    read: ({ deviceId, after, limit }) =>
      (state.telemetry.get(deviceId)?.records ?? [])
        .filter(({ position }) => position > after)
        .slice(0, limit),
  };
}

function sentBy(state: MemoryState, deviceId: string): SentTelemetry {
  const before = state.telemetry.get(deviceId);
  if (before) return before;
  const nothing = { records: [], identities: new Set<string>(), usedKeys: new Map() };
  state.telemetry.set(deviceId, nothing);
  return nothing;
}

function store(
  state: MemoryState,
  { records, identities }: SentTelemetry,
  { receivedAt }: AppendInput,
  { at, seq, contentHash, body }: TelemetryRecord,
): AppendVerdict {
  if (contentHash !== null) {
    const identity = JSON.stringify([at, seq, contentHash]);
    if (identities.has(identity)) return "duplicate";
    identities.add(identity);
  }
  state.lastPosition += 1;
  records.push({ position: state.lastPosition, at, receivedAt, seq, body });
  return "stored";
}

function see(state: MemoryState, { deviceId, receivedAt, records }: AppendInput): void {
  const device = state.devices.get(deviceId);
  if (device === undefined) return;
  const { lastSeenAt, lastTelemetryAt } = device;
  state.devices.set(deviceId, {
    ...device,
    lastSeenAt: latestOf(lastSeenAt, receivedAt),
    lastTelemetryAt: records.length > 0 ? latestOf(lastTelemetryAt, receivedAt) : lastTelemetryAt,
  });
}

function forgetExpiredKeys({ usedKeys }: SentTelemetry, now: number): void {
  for (const [key, { expiresAt }] of usedKeys) {
    if (expiresAt < now) usedKeys.delete(key);
  }
}
