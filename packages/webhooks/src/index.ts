export { isPublicAddress, PrivateAddressError } from "./public-address.js";
export type { SenderLevels } from "./sender-levels.js";
export {
  type SenderOptions,
  startWebhooks,
  type WebhookOptions,
  type Webhooks,
} from "./start-webhooks.js";
export { createWebhookManager } from "./webhook-manager.js";
