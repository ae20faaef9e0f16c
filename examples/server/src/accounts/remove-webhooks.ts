import type { GatewayStore } from "@device-gateway/core";
import type { SecurityEvent } from "@device-gateway/core/store";

/**
 * Deletes the webhooks of a user whose account is deleted, also if customers may have none now. If it rejects, call it
 * again.
 */
export async function removeWebhooks(
  { webhooks }: Pick<GatewayStore, "webhooks">,
  ownerId: string,
): Promise<void> {
  const theirs = (await webhooks.list()).filter((each) => each.ownerId === ownerId);
  for (const { id, label } of theirs) {
    const event: SecurityEvent = {
      ...{ kind: "webhook.removed", at: Date.now(), deviceId: "", actor: ownerId },
      ...{ requestId: null, clientAddress: null, details: { endpointId: id, url: label } },
    };
    await webhooks.remove({ id, event });
  }
}
