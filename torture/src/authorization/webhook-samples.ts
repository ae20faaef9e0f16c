import type { ActorName } from "./actors.js";
import {
  type Expected,
  nothing,
  ofOperators,
  operatorsOnly,
  refused,
  type Samples,
} from "./sample.js";
import { planted } from "./scene.js";

const ofWebhook = { params: { webhookId: planted.webhookId } };
const operatorsWebhook = (actor: ActorName): Expected =>
  actor.startsWith("operator") ? { code: null } : { code: "webhook_not_found", status: 404 };
const aboutWebhook = { request: () => ofWebhook, answer: operatorsWebhook };
const hookUrl = "https://example.com/hook";

/** Requests to the routes about webhooks. */
export const webhookSamples = {
  listWebhooks: [{ ...nothing, answer: refused(404, "webhooks_not_enabled") }, ofOperators],
  createWebhook: [
    { request: () => ({ body: { url: hookUrl } }), answer: refused(404, "webhooks_not_enabled") },
    {
      request: () => ({ body: { url: hookUrl }, query: { scope: "operator" } }),
      answer: operatorsOnly,
    },
  ],
  readWebhook: [aboutWebhook],
  changeWebhook: [
    { request: () => ({ ...ofWebhook, body: { enabled: false } }), answer: operatorsWebhook },
  ],
  removeWebhook: [aboutWebhook],
  rotateWebhookSecret: [aboutWebhook],
  testWebhook: [aboutWebhook],
  replayWebhook: [
    { request: () => ({ ...ofWebhook, body: { from: 0 } }), answer: operatorsWebhook },
  ],
  listWebhookAttempts: [aboutWebhook],
  listWebhookMessages: [
    { request: () => ({ ...ofWebhook, query: { state: "dead" } }), answer: operatorsWebhook },
  ],
  retryWebhookMessages: [
    { request: () => ({ ...ofWebhook, body: {} }), answer: operatorsWebhook },
    { request: () => ({ ...ofWebhook, body: { messageId: "evt_1" } }), answer: operatorsWebhook },
  ],
} satisfies Partial<Samples>;
