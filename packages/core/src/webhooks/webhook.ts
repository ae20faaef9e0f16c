import type { SecurityEventKind } from "../audit/security-event.js";

/** Which events an endpoint gets. An empty list allows all. */
export interface WebhookFilter {
  readonly kinds: readonly SecurityEventKind[];
  readonly deviceIds: readonly string[];
  readonly targetHardware: readonly string[];
  /** The ids of owners of the device, or of users who caused the event. */
  readonly ownerIds: readonly string[];
}

/** A URL that receives events. */
export interface WebhookEndpoint {
  readonly id: string;
  /** The user whose endpoint it is. Null: it belongs to the operators. */
  readonly ownerId: string | null;
  readonly revision: number;
  /** The URL without credentials and query, for people. */
  readonly label: string;
  /** The URL and the signing secrets, encrypted. */
  readonly sealed: string;
  readonly filter: WebhookFilter;
  readonly enabled: boolean;
  /** Why the gateway disabled it. Null: it did not. */
  readonly disabledReason: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Since when every attempt fails, in epoch milliseconds. Null: the latest attempt succeeded, or there was none. */
  readonly failingSince: number | null;
  /** The endpoint gets events with a higher id. */
  readonly startAfter: number;
  /** Raised when the events are sent again from an earlier time. */
  readonly generation: number;
}

/** A message for an endpoint. It waits for an attempt, or is a dead letter. */
export interface WebhookDelivery {
  /** The same in every attempt. */
  readonly messageId: string;
  /** The event's id in the event log. 0 for a test message. */
  readonly eventId: number;
  /** Messages of the same queue arrive in the order of their event ids. */
  readonly queue: string;
  /** The body, as JSON. */
  readonly body: string;
  /** When it was first tried or held back, in epoch milliseconds. */
  readonly since: number;
  readonly attempts: number;
  /** When to try it, in epoch milliseconds. */
  readonly dueAt: number;
  /** Whether the filter is still to be asked, because the database of the device did not answer. Default: false. */
  readonly isUnjudged?: boolean;
}

/** One attempt to deliver a message. */
export interface WebhookAttempt {
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  /** The response's status. Null if there was no response. */
  readonly status: number | null;
  /** Why it failed. Null: it arrived. */
  readonly error: string | null;
  /** The beginning of the response's body, at most 1 KB. */
  readonly response: string;
}
