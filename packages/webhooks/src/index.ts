export { isPublicAddress, PrivateAddressError } from "./public-address.js";
export {
  type SenderOptions,
  startWebhooks,
  type WebhookOptions,
  type Webhooks,
} from "./start-webhooks.js";
export {
  createWebhookManager,
  type InvalidWebhook,
  type WebhookChanges,
  type WebhookDeliveries,
  type WebhookManager,
  type WebhookView,
} from "./webhook-manager.js";
