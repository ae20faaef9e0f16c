import type { Send } from "./send.js";

/** Sends requests to each operation about webhooks. */
export async function sendWebhookRequests(send: Send, operator: string): Promise<void> {
  const query = "?scope=operator";
  const filter = { kinds: ["device.claimed", "update.moved"] };
  const created = await send("createWebhook", 201, {
    ...{ token: operator, query },
    body: { url: "https://user:password@example.com/hook", filter },
  });
  await send("createWebhook", 400, { token: operator, query, body: { url: "http://10.0.0.1" } });
  const { id: webhookId } = (created.body as { webhook: { id: string } }).webhook;
  const one = { token: operator, path: { webhookId } };
  await send("listWebhooks", 200, { token: operator, query });
  await send("readWebhook", 200, one);
  await send("changeWebhook", 200, { ...one, body: { filter: { deviceIds: ["gw-1"] } } });
  await send("rotateWebhookSecret", 200, one);
  await send("testWebhook", 202, one);
  await send("replayWebhook", 202, { ...one, body: { from: "2026-01-31T12:00:00Z" } });
  await send("listWebhookAttempts", 200, one);
  await send("listWebhookMessages", 200, { ...one, query: "?state=waiting&limit=5" });
  await send("retryWebhookMessages", 202, { ...one, body: {} });
  await send("removeWebhook", 204, one);
  await send("readWebhook", 404, one);
}
