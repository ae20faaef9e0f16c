import type { WebhookDelivery, WebhookEndpoint } from "../webhooks/webhook.js";

/** An endpoint as SQL stores keep it. `content` has what is in no column of its own. */
export interface WebhookRow {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly failingSince: number | null;
  readonly content: string;
}

/**
 * Returns the row of an endpoint.
 *
 * @example
 * insertWebhook.run(toWebhookRow(endpoint));
 */
export function toWebhookRow(endpoint: WebhookEndpoint): WebhookRow {
  const { id, revision, createdAt, failingSince, ...content } = endpoint;
  return { id, revision, createdAt, failingSince, content: JSON.stringify(content) };
}

type Content = Omit<WebhookEndpoint, keyof WebhookRow | "ownerId"> &
  // An endpoint that was stored before owners could have some lacks it.
  Partial<Pick<WebhookEndpoint, "ownerId">>;

/**
 * Returns the endpoint of a row.
 *
 * @example
 * const endpoints = listWebhooks.all().map(toWebhook);
 */
export function toWebhook({ content, ...columns }: WebhookRow): WebhookEndpoint {
  const { ownerId = null, ...parts } = JSON.parse(content) as Content;
  return { ...parts, ...columns, ownerId };
}

/**
 * Returns how the names of an endpoint's followers begin.
 *
 * @example
 * toFollowerPrefix("endpoint-1"); // "webhook:endpoint-1:"
 */
export const toFollowerPrefix = (endpointId: string): string => `webhook:${endpointId}:`;

/** A delivery as SQL stores keep it. */
export interface DeliveryRow {
  readonly messageId: string;
  readonly eventId: number;
  readonly content: string;
}

/**
 * Returns the row of a delivery.
 *
 * @example
 * insertDelivery.run({ endpointId, ...toDeliveryRow(delivery) });
 */
export const toDeliveryRow = (delivery: WebhookDelivery): DeliveryRow => ({
  messageId: delivery.messageId,
  eventId: delivery.eventId,
  content: JSON.stringify(delivery),
});
