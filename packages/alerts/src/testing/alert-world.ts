import type { AlertRule, Device, GatewayStore, JsonObject } from "@device-gateway/core/store";
import { createMemoryStore } from "@device-gateway/store-memory";
import {
  createFakeClock,
  type FakeClock,
  sampleDevice,
  sampleEvent,
  sampleTime,
} from "@device-gateway/testing";
import type { AlertChannel, AlertMessage } from "../delivery/alert-channel.js";
import { type AlertOptions, type Alerts, createAlerts } from "../start-alerts.js";

export const minuteMs = 60_000;

/** A store, a clock and the alerts over it. */
export interface AlertWorld {
  readonly store: GatewayStore;
  readonly clock: FakeClock;
  readonly alerts: Alerts;
  readonly messages: AlertMessage[];
  /** Rejects messages while it is not null. */
  failure: Error | null;
  register(deviceId: string, ownerId?: string | null): Promise<void>;
  addRule(id: string, rule: Partial<AlertRule>): Promise<void>;
  /** Sends a record that was measured now, or some time ago. */
  send(deviceId: string, value: JsonObject, agoMs?: number): Promise<void>;
  /** Lets time pass in steps of at most a minute, with a round after each. */
  pass(ms: number): Promise<void>;
  /** Returns the events of alerts since the last call, as `firing gw-1`. */
  events(): Promise<string[]>;
  /** Returns the ids of the notifications that were delivered since the last call. */
  delivered(): string[];
}

/** Opens a world over a store. Each device sends every minute. */
export function openAlertWorld(
  options: Partial<AlertOptions> = {},
  store: GatewayStore = createMemoryStore(),
): AlertWorld {
  const clock = createFakeClock(sampleTime);
  const messages: AlertMessage[] = [];
  let [lastEvent, shown] = [0, 0];
  const channel: AlertChannel = {
    name: "test",
    async send(message) {
      if (world.failure !== null) throw world.failure;
      messages.push(message);
    },
  };
  const alerts = createAlerts({
    ...{ store, clock, channels: [channel], gateway: { telemetryInterval: () => 60 } },
    ...options,
  });
  const world: AlertWorld = {
    ...{ store, clock, alerts, messages, failure: null },
    async register(deviceId, ownerId = "alice") {
      const ownership = ownerId && { ownerId, claimedAt: clock.now(), visibleFrom: 0 };
      const changes: Partial<Device> = { ownership: ownership || null, registeredAt: clock.now() };
      const device = sampleDevice(deviceId, changes);
      await store.devices.register({ device, event: sampleEvent(deviceId) });
    },
    async addRule(id, rule) {
      const now = clock.now();
      await store.alerts.createRule({
        rule: {
          ...{ id, revision: 1, ownerId: "alice", deviceId: null, targetHardware: null },
          ...{ name: id, condition: { kind: "silent", intervals: 5 }, reminderSeconds: null },
          ...{ mutedUntil: null, createdAt: now, changedAt: now, ...rule },
        },
        most: 50,
        event: { ...sampleEvent(""), kind: "alert_rule.created" },
      });
    },
    async send(deviceId, value, agoMs = 0) {
      const receivedAt = clock.now();
      const record = { at: receivedAt - agoMs, seq: null, isTimed: agoMs !== 0, value };
      await store.telemetry.append({ deviceId, receivedAt, once: null, records: [record] });
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= minuteMs) {
        clock.advance(Math.min(left, minuteMs));
        await alerts.runOnce();
      }
    },
    async events() {
      const found = await store.securityEvents.list({ after: lastEvent, limit: 10_000 });
      lastEvent = found.at(-1)?.id ?? lastEvent;
      return found
        .filter(({ kind }) => kind === "alert.firing" || kind === "alert.cleared")
        .map(
          ({ kind, deviceId, details }) =>
            `${kind.slice("alert.".length)} ${deviceId || String(details["name"])}`,
        );
    },
    delivered() {
      const ids = messages
        .slice(shown)
        .flatMap(({ notifications }) =>
          notifications.map(({ kind, deviceId }) => `${kind} ${deviceId}`),
        );
      shown = messages.length;
      return ids;
    },
  };
  return world;
}
