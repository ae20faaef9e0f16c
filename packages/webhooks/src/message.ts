import type { StoredSecurityEvent, WebhookDelivery } from "@device-gateway/core/store";
import type { ChosenEvent } from "./choose-events.js";

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
  event: ChosenEvent,
  now: number,
  ownerId: string | null = null,
): WebhookDelivery {
  const { id, kind, at, deviceId, details, isUnjudged } = event;
  const isShown = ownerId === null || ["device", "gateway", ownerId].includes(event.actor);
  const actor = isShown ? event.actor : null;
  const message = toDelivery(
    { messageId: `evt_${id}_${at.toString(36)}`, eventId: id, queue: deviceId },
    { type: kind, at, data: { sequence: id, deviceId, actor, details } },
    now,
  );
  return isUnjudged ? { ...message, isUnjudged } : message;
}

/** Returns what a filter asks about the event of a message. */
export function readEventOf({
  body,
  queue,
}: WebhookDelivery): Pick<StoredSecurityEvent, "deviceId" | "actor" | "at"> {
  const { timestamp, data } = JSON.parse(body) as {
    timestamp: string;
    data: { actor?: string | null };
  };
  return { deviceId: queue, actor: data.actor ?? "", at: Date.parse(timestamp) };
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
