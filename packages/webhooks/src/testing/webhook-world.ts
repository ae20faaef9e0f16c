import { type GatewayStore, generateSecrets, type WebhookView } from "@device-gateway/core";
import type { SecurityEventKind, WebhookFilter } from "@device-gateway/core/store";
import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, sampleDevice, sampleEvent } from "@device-gateway/testing";
import { onTestFinished } from "vitest";
import { createSender, type SenderOptions } from "../start-webhooks.js";
import { createWebhookManager } from "../webhook-manager.js";
import { startReceiver } from "./receiver.js";

const actor = "olga";

/** A store with a manager, a sender and a receiver, and a clock that stands still. */
export async function createWebhookWorld(
  changes: Partial<SenderOptions> = {},
  store: GatewayStore = createMemoryStore(),
) {
  const clock = createFakeClock();
  const options: SenderOptions = {
    ...{ secrets: generateSecrets(), clock, allowIntranet: true, random: () => 1 },
    ...changes,
  };
  const manager = createWebhookManager(store, options);
  const receiver = await startReceiver();
  const open = () => {
    const sender = createSender(store, options);
    onTestFinished(() => sender.stop());
    return sender;
  };
  const sender = open();
  onTestFinished(() => receiver.close());

  /** Writes an event of a device into the log. */
  async function write(deviceId: string, kind: SecurityEventKind = "device.renamed") {
    const event = { ...sampleEvent(deviceId), kind, at: clock.now() };
    const known = await store.devices.find(deviceId);
    if (known === null) await store.devices.register({ device: sampleDevice(deviceId), event });
    else await store.devices.rename({ deviceId, ownerId: null, name: "Boat", event });
  }

  /** Makes a customer the owner of a device. */
  async function claim(deviceId: string, ownerId: string) {
    const now = clock.now();
    const event = { ...sampleEvent(deviceId), kind: "device.claimed", at: now } as const;
    const { claimCodeHash = null } = (await store.devices.find(deviceId)) ?? {};
    const claimed = { ...event, actor: ownerId };
    await store.claims.claim({ deviceId, ownerId, claimCodeHash, now, event: claimed });
  }

  async function release(deviceId: string, ownerId: string) {
    const event = { ...sampleEvent(deviceId), at: clock.now(), actor: ownerId };
    const released = { ...event, kind: "device.released" } as const;
    await store.claims.release({ deviceId, ownerId, spendCode: false, event: released });
  }

  async function add(
    filter: Partial<WebhookFilter> = {},
    url = receiver.url,
    ownerId: string | null = null,
  ): Promise<{ endpoint: WebhookView; secret: string }> {
    const created = await manager.create({ url, filter, ownerId, actor: ownerId ?? actor });
    if (created.kind !== "created") throw new Error(JSON.stringify(created));
    return created;
  }

  /** Returns the messages of an endpoint that wait, and those that were given up. */
  const messages = async (id: string) => ({
    waiting: await manager.messages({ id, state: "waiting", limit: 500 }),
    dead: await manager.messages({ id, state: "dead", limit: 500 }),
  });
  const find = async (id: string) => (await manager.list()).find((each) => each.id === id);
  const auditKinds = async () =>
    (await store.securityEvents.list({ after: 0, limit: 999 })).map(({ kind }) => kind);
  /** Returns the devices of the messages that arrived at the receiver, in their order. */
  const arrivals = () => receiver.received.map(({ deviceId }) => deviceId);
  return {
    ...{ store, clock, options, manager, receiver, open, sender, write, add, find, messages },
    ...{ auditKinds, arrivals, actor, claim, release },
  };
}
