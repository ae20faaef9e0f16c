import type { GatewayContext } from "../../context.js";
import type { webhookRoutes } from "../../contract/webhook.js";
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateWebhookSecret,
} from "../../webhooks/manage-webhooks.js";
import { toWebhookAnswer } from "../../webhooks/webhook-answers.js";
import {
  listWebhookAttempts,
  listWebhookMessages,
  retryWebhookMessages,
  testWebhook,
} from "../../webhooks/webhook-messages.js";
import type { HandlersOf } from "../call.js";

/** Creates the handlers of the routes about webhooks. */
export const createWebhookHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof webhookRoutes> => ({
  listWebhooks: async ({ caller, query: { scope } }) =>
    (await listWebhooks(context, caller, scope)).map((body) => ({ status: 200, body })),
  createWebhook: async ({ caller, query: { scope }, body, origin }) =>
    (await createWebhook(context, caller, { ...body, scope }, origin)).map((created) => ({
      status: 201,
      body: created,
    })),
  readWebhook: async ({ caller, params: { webhookId } }) =>
    (await findWebhook(context, caller, webhookId)).map(({ endpoint }) => ({
      status: 200,
      body: { webhook: toWebhookAnswer(endpoint) },
    })),
  changeWebhook: async ({ caller, params: { webhookId: id }, body: changes, origin }) =>
    (await changeWebhook(context, caller, { id, changes }, origin)).map((webhook) => ({
      status: 200,
      body: { webhook },
    })),
  removeWebhook: async ({ caller, params: { webhookId }, origin }) =>
    (await removeWebhook(context, caller, webhookId, origin)).map(() => ({ status: 204 })),
  rotateWebhookSecret: async ({ caller, params: { webhookId }, origin }) =>
    (await rotateWebhookSecret(context, caller, webhookId, origin)).map((secret) => ({
      status: 200,
      body: { secret },
    })),
  testWebhook: async ({ caller, params: { webhookId } }) =>
    (await testWebhook(context, caller, webhookId)).map((messageId) => ({
      status: 202,
      body: { messageId },
    })),
  replayWebhook: async ({ caller, params: { webhookId: id }, body: { from }, origin }) =>
    (await replayWebhook(context, caller, { id, from }, origin)).map((webhook) => ({
      status: 202,
      body: { webhook },
    })),
  listWebhookAttempts: async ({ caller, params: { webhookId: id }, query: { limit } }) =>
    (await listWebhookAttempts(context, caller, { id, limit })).map((attempts) => ({
      status: 200,
      body: { attempts },
    })),
  listWebhookMessages: async ({ caller, params: { webhookId: id }, query }) =>
    (await listWebhookMessages(context, caller, { id, ...query })).map((messages) => ({
      status: 200,
      body: { messages },
    })),
  retryWebhookMessages: async ({ caller, params: { webhookId: id }, body: { messageId } }) =>
    (await retryWebhookMessages(context, caller, { id, messageId })).map((messages) => ({
      status: 202,
      body: { messages },
    })),
});
