import { type GatewayStore, generateSecrets } from "@device-gateway/core";
import { createSeededRandom } from "@device-gateway/testing";
import { createSeal } from "../../../packages/webhooks/src/seal.js";

interface Planted {
  readonly id: string;
  readonly ownerId: string | null;
  readonly deviceId: string;
}

/** Writes a webhook with a known id, and a message about the device's last event, which was given up. */
export async function plantWebhook(
  { webhooks, securityEvents }: GatewayStore,
  { id, ownerId, deviceId }: Planted,
  seed: number,
): Promise<void> {
  const { pepper } = generateSecrets(createSeededRandom(seed));
  const secrets = [{ value: "whsec_c2VjcmV0LW9mLWEtd2ViaG9vay02MTgz", until: null }];
  await webhooks.create({
    endpoint: {
      ...{ id, ownerId, revision: 1, label: "https://example.com/hook" },
      sealed: createSeal(pepper).close(id, { url: "https://example.com/hook", secrets }),
      filter: { kinds: [], deviceIds: [], targetHardware: [], ownerIds: [] },
      ...{ enabled: true, disabledReason: null, createdAt: 0, failingSince: null },
      ...{ startAfter: 0, generation: 0 },
    },
    ...{ limit: 20, total: 20 },
    event: {
      ...{ kind: "webhook.created", at: 0, deviceId: "", actor: "operator-1", requestId: null },
      ...{ clientAddress: null, details: {} },
    },
  });
  const newest = { deviceId, before: Number.MAX_SAFE_INTEGER, limit: 1 };
  const eventId = (await securityEvents.newest(newest))[0]?.id ?? 0;
  const data = { sequence: eventId, deviceId, actor: "gateway", details: {} };
  await webhooks.record({
    ...{ endpointId: id, attempts: [], waiting: [], arrived: [], events: [] },
    dead: [
      {
        ...{ messageId: "evt_1", eventId, queue: deviceId, since: 0, attempts: 9, dueAt: 0 },
        body: JSON.stringify({
          type: "device.renamed",
          timestamp: new Date(0).toISOString(),
          data,
        }),
      },
    ],
    keep: { attempts: 200, dead: 500 },
  });
}
