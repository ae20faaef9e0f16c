import { customer, type Gateway } from "@device-gateway/core";

/** Deletes the webhooks of a user whose account is deleted, if owners have any. If it rejects, call it again. */
export async function removeWebhooks(gateway: Pick<Gateway, "as">, id: string): Promise<void> {
  const api = gateway.as(customer({ id, emailVerified: true }));
  const listed = await api.listWebhooks();
  if (listed.isErr()) {
    if (listed.error.code === "webhooks_not_enabled") return;
    throw new Error(listed.error.detail, { cause: listed.error.cause });
  }
  for (const { id: webhookId } of listed.value.body.webhooks) {
    const removed = await api.removeWebhook({ params: { webhookId } });
    if (removed.isOk() || removed.error.code === "webhook_not_found") continue;
    throw new Error(removed.error.detail, { cause: removed.error.cause });
  }
}
