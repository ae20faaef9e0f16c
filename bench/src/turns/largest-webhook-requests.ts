import { largeBody } from "./large-bodies.js";
import type { LargeRequest, Requests } from "./large-request.js";

const asOperator = { as: "operator" as const };
const unknown: LargeRequest = { ...asOperator, status: 404, params: { webhookId: "unknown" } };
const list = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(40, "x"));
const filter = { deviceIds: list, targetHardware: list, ownerIds: list };

/** The largest allowed requests of the routes about webhooks. */
export const largestWebhookRequests = {
  // Few enough for six rounds within the limit of 20 endpoints.
  createWebhook: Array.from({ length: 3 }, () => () => ({
    ...{ ...asOperator, query: "scope=operator", status: 201 },
    body: { url: `https://example.com/${"x".repeat(1_900)}`, filter },
  })),
  listWebhooks: [() => ({ ...asOperator, query: "scope=operator" })],
  readWebhook: [() => unknown],
  changeWebhook: [() => ({ ...unknown, body: largeBody({ filter }) })],
  removeWebhook: [() => unknown],
  rotateWebhookSecret: [() => unknown],
  testWebhook: [() => unknown],
  replayWebhook: [() => ({ ...unknown, body: largeBody({ from: 0 }) })],
  listWebhookAttempts: [() => ({ ...unknown, query: "limit=200" })],
  listWebhookMessages: [() => ({ ...unknown, query: "limit=500" })],
  retryWebhookMessages: [() => ({ ...unknown, body: largeBody({ messageId: "evt_1" }) })],
} satisfies Readonly<Record<string, Requests>>;
