import type {
  WebhookAnswer,
  WebhookAttemptAnswer,
  WebhookMessageAnswer,
} from "../contract/index.js";
import { toTimestamp, toTimestampOrNull } from "../shared/timestamp.js";
import type { WebhookAttempt, WebhookDelivery } from "./webhook.js";
import type { WebhookView } from "./webhook-manager.js";

/** Describes an endpoint for the dashboard. */
export const toWebhookAnswer = ({ ownerId, filter, ...view }: WebhookView): WebhookAnswer => ({
  id: view.id,
  scope: ownerId === null ? "operator" : "own",
  url: view.url,
  filter: {
    kinds: [...filter.kinds],
    deviceIds: [...filter.deviceIds],
    targetHardware: [...filter.targetHardware],
    ownerIds: [...filter.ownerIds],
  },
  enabled: view.enabled,
  disabledReason: view.disabledReason,
  createdAt: toTimestamp(view.createdAt),
  failingSince: toTimestampOrNull(view.failingSince),
});

/** Describes an attempt for the dashboard. */
export const toAttemptAnswer = ({ at, ...attempt }: WebhookAttempt): WebhookAttemptAnswer => ({
  ...attempt,
  at: toTimestamp(at),
});

/** Describes a message for the dashboard, without the details of its event. */
export function toMessageAnswer(
  delivery: WebhookDelivery,
  state: "waiting" | "dead",
): WebhookMessageAnswer {
  const { messageId, eventId, body, since, attempts, dueAt } = delivery;
  const { type, timestamp, data } = JSON.parse(body) as {
    type: string;
    timestamp: string;
    data: { deviceId?: string; sequence?: number };
  };
  const isEvent = data.deviceId !== undefined;
  return {
    ...{ messageId, state, kind: type, eventId: isEvent ? eventId : null, eventAt: timestamp },
    deviceId: data.deviceId || null,
    ...{ since: toTimestamp(since), attempts },
    dueAt: state === "dead" ? null : toTimestamp(dueAt),
  };
}
