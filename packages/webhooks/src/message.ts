import type { StoredSecurityEvent, WebhookDelivery } from "@device-gateway/core/store";

/** Returns a message that was not tried yet. */
function toDelivery(
  message: Pick<WebhookDelivery, "messageId" | "eventId" | "queue">,
  content: { readonly type: string; readonly at: number; readonly data: object },
  now: number,
): WebhookDelivery {
  const { type, at, data } = content;
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  return { ...message, body, since: now, attempts: 0, dueAt: now };
}

/**
 * Returns the message of an event. Its id contains the time, because a database that was restored from a backup gives
 * ids out again. For an owner, the ids of other people are replaced by null.
 */
export function toEventMessage(
  event: StoredSecurityEvent,
  now: number,
  ownerId: string | null = null,
): WebhookDelivery {
  const { id, kind, at, deviceId, details } = event;
  const isShown = ownerId === null || ["device", "gateway", ownerId].includes(event.actor);
  const actor = isShown ? event.actor : null;
  return toDelivery(
    { messageId: `evt_${id}_${at.toString(36)}`, eventId: id, queue: deviceId },
    { type: kind, at, data: { sequence: id, deviceId, actor, details } },
    now,
  );
}

/** Whether a message says that another one was given up. */
export const isAboutDeadLetter = ({ body }: WebhookDelivery): boolean =>
  (JSON.parse(body) as { type: string }).type === "webhook.dead_lettered";

/** Returns the time of a message's event in epoch milliseconds, or null without a message. */
export const eventTimeOf = (message: WebhookDelivery | undefined): number | null =>
  message === undefined
    ? null
    : Date.parse((JSON.parse(message.body) as { timestamp: string }).timestamp);

/** Returns the message that says that events after `after` were deleted before they were sent. */
export const toGapMessage = (after: number, now: number): WebhookDelivery =>
  toDelivery(
    { messageId: `gap_${after}_${now.toString(36)}`, eventId: after, queue: "" },
    { type: "events.gap", at: now, data: { sequence: after } },
    now,
  );

/** Whether a message is a test, which is sent once. */
export const isTestMessage = ({ messageId }: WebhookDelivery): boolean =>
  messageId.startsWith("test_");

/** Returns a test message, which no other message waits for. */
export const toTestMessage = (name: string, now: number): WebhookDelivery =>
  toDelivery(
    { messageId: `test_${name}`, eventId: 0, queue: `test_${name}` },
    { type: "webhook.test", at: now, data: {} },
    now,
  );
