import { createGateway, type Gateway, generateSecrets } from "@device-gateway/core";
import { createLibuvSlowHash, nodeDigest } from "@device-gateway/core/node";
import type { GatewayStore } from "@device-gateway/core/store";
import { createWebhookManager } from "@device-gateway/webhooks";
import { dayMs, hourMs, minuteMs, recordOf } from "../fleet.js";
import { fleetIds, registerTemplate, signToken } from "../speed/seed/seed-fleet.js";
import type { Scene } from "./large-request.js";
import { firmwareIn } from "./releases.js";

const owner = "owner";
const longDevice = "gw-long";
const otherDevices = 600;

export interface OpenScene extends Scene {
  readonly gateway: Gateway;
  /** Advances the gateway's clock, so that records expire. */
  advance(ms: number): void;
  tokenOf(deviceId: string): string;
}

/** Stores one record per minute for one device, rolls up all days but the last, and registers the other devices. */
async function seed(store: GatewayStore, days: number, end: number): Promise<readonly string[]> {
  const ownership = { ownerId: owner, claimedAt: 1, visibleFrom: 0 };
  await registerTemplate(store, longDevice, { ownership, ownedBefore: true });
  for (let from = end - days * dayMs; from < end; from += 12 * hourMs) {
    const records = Array.from({ length: (12 * hourMs) / minuteMs }, (_, n) => {
      const at = from + n * minuteMs;
      return { at, seq: null, isTimed: false, value: recordOf(0, at) };
    });
    await store.telemetry.append({ deviceId: longDevice, receivedAt: from, records, once: null });
  }
  while ((await store.telemetry.rollUp({ before: end - dayMs, limit: 500 })).more);
  const ids = fleetIds(otherDevices);
  // One after another: calls that wait long for a connection are refused as unavailable.
  for (const [n, deviceId] of ids.entries()) {
    await registerTemplate(store, deviceId, { ownership, ownedBefore: true });
    const records = [{ at: end, seq: null, isTimed: false, value: recordOf(n, end) }];
    await store.telemetry.append({ deviceId, receivedAt: end, records, once: null });
  }
  return ids;
}

/** Opens a gateway whose owner has a device with a long history and many others. */
export async function openScene(
  store: GatewayStore,
  folder: string,
  days: number,
): Promise<OpenScene> {
  let now = Math.floor(Date.now() / hourMs) * hourMs;
  const ids = await seed(store, days, now);
  const secrets = generateSecrets();
  let used = 0;
  let created = 0;
  const gateway = await createGateway({
    ...{
      store,
      secrets,
      firmware: await firmwareIn(folder),
      digest: nodeDigest,
      slowHash: createLibuvSlowHash(),
      webhooks: createWebhookManager(store, { secrets }),
    },
    clock: { now: () => now },
    customers: {
      authenticateToken: async (id) => ({
        ...{ id, emailVerified: true },
        roles: id === "operator" ? ["operator"] : [],
      }),
    },
    // So that no request is throttled, and the whole history is within the retention.
    limits: { dashboardPerMinute: 1_000_000, telemetryRetentionDays: days + 30 },
  });
  return {
    ...{ gateway, days, longDevice },
    get now() {
      return now;
    },
    advance: (ms) => {
      now += ms;
    },
    nextDevice: () => ids[used++ % ids.length] as string,
    manyDevices: ids.slice(0, 500),
    newId: () => `new-${++created}`,
    tokenOf: (deviceId) => signToken(secrets, deviceId),
  };
}
