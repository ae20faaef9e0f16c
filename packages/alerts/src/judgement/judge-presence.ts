import type { AlertTransition, Device, SecurityEvent } from "@device-gateway/core/store";

export interface PresenceFacts {
  readonly device: Device;
  /** Whether the watch records the device as online. Null: the device's presence was never judged. */
  readonly online: boolean | null;
  readonly intervalMs: number;
  readonly now: number;
  /** Silence before this time does not count, because the service did not run. */
  readonly countedFrom: number;
  /**
   * How long after its deadline a device is offline, because the store has the time of the last request with an
   * accuracy of a minute.
   */
  readonly settleMs: number;
}

export interface PresenceVerdict {
  readonly online: boolean;
  readonly transitions: readonly AlertTransition[];
  /** When to judge the device again if it sends nothing. Null: only after it sends. */
  readonly dueAt: number | null;
}

/** A device is online for this long after a request, or for three intervals if that is longer, as on the dashboard. */
const leastOnlineMs = 300_000;

/** Returns when a device sent its last request, in epoch milliseconds, or 0. */
export const heardAtOf = ({ lastSeenAt, lastTelemetryAt }: Device): number =>
  Math.max(lastSeenAt ?? 0, lastTelemetryAt ?? 0);

/**
 * Judges whether a device is online. The first judgement of a device that has been registered for a while only notes
 * the state, so that a fleet whose presence is judged for the first time causes no events.
 */
export function judgePresence(facts: PresenceFacts): PresenceVerdict {
  const { device, online, intervalMs, now, countedFrom, settleMs } = facts;
  const heardAt = heardAtOf(device);
  const onlineMs = Math.max(leastOnlineMs, 3 * intervalMs);
  // The webhooks of a later owner get the event, so it must not contain anything from before the claim (§7).
  const lastSeenAt = heardAt >= (device.ownership?.visibleFrom ?? 0) ? heardAt : null;
  const toTransition = (kind: "device.online" | "device.offline"): AlertTransition => {
    const event: SecurityEvent = {
      ...{ kind, at: now, deviceId: device.deviceId, actor: "gateway" },
      ...{ requestId: null, clientAddress: null, details: { lastSeenAt } },
    };
    return { kind: "presence", event };
  };
  const isHeard = heardAt > 0 && now - heardAt <= onlineMs;
  const deadline = Math.max(heardAt, countedFrom) + onlineMs + settleMs;
  if (online === true) {
    if (now < deadline) return { online: true, transitions: [], dueAt: deadline };
    return { online: false, transitions: [toTransition("device.offline")], dueAt: null };
  }
  if (!isHeard) return { online: false, transitions: [], dueAt: null };
  const isNew = now - device.registeredAt <= onlineMs;
  const isTransition = online === false || isNew;
  const transitions = isTransition ? [toTransition("device.online")] : [];
  return { online: true, transitions, dueAt: deadline };
}
