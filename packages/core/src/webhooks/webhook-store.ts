import type { SecurityEvent } from "../audit/security-event.js";
import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from "./webhook.js";

/** What a sender did for an endpoint. */
export interface WebhookRecord {
  readonly endpointId: string;
  /** New entries of the history, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
  /** Deliveries that wait for another attempt: added, or replaced by their message id. */
  readonly waiting: readonly WebhookDelivery[];
  /** Deliveries that were given up: added to the dead letters, or replaced by their message id. */
  readonly dead: readonly WebhookDelivery[];
  /** Message ids of deliveries that arrived. They are deleted. */
  readonly arrived: readonly string[];
  /** Since when every attempt fails, in epoch milliseconds. Null: the latest attempt succeeded. Absent: unchanged. */
  readonly failingSince?: number | null;
  /** The audit trail's events about it. */
  readonly events: readonly SecurityEvent[];
  /** How many attempts and dead letters are kept. Older ones are deleted. */
  readonly keep: { readonly attempts: number; readonly dead: number };
}

/** Stores webhook endpoints, and what their sender needs after a crash. */
export interface WebhookStore {
  /** Returns all endpoints, the oldest first. */
  list(): Promise<readonly WebhookEndpoint[]>;
  /**
   * Adds an endpoint and writes the event, if its owner (null: the operators) has fewer than `limit` endpoints, and there
   * are fewer than `total` endpoints in all.
   */
  create(input: {
    endpoint: WebhookEndpoint;
    limit: number;
    total: number;
    event: SecurityEvent;
  }): Promise<{ readonly kind: "created" | "full" }>;
  /**
   * Replaces an endpoint, except its `failingSince`, and writes the event, if the endpoint still has the expected
   * revision. The stored revision is one higher.
   */
  replace(input: {
    endpoint: WebhookEndpoint;
    expectedRevision: number;
    event: SecurityEvent;
  }): Promise<{ readonly kind: "replaced" | "conflict" | "unknown" }>;
  /**
   * Deletes an endpoint with its history, waiting deliveries, dead letters and followers, whose names begin with
   * `toFollowerPrefix`, and writes the event.
   */
  remove(input: {
    id: string;
    event: SecurityEvent;
  }): Promise<{ readonly kind: "removed" | "unknown" }>;
  /** Writes what a sender did, in one transaction. Does nothing if the endpoint does not exist. */
  record(input: WebhookRecord): Promise<void>;
  /** Returns at most `limit` waiting deliveries of an endpoint, by event id and then message id. */
  waiting(input: { endpointId: string; limit: number }): Promise<readonly WebhookDelivery[]>;
  /** Returns at most `limit` dead letters of an endpoint, in the same order. */
  dead(input: { endpointId: string; limit: number }): Promise<readonly WebhookDelivery[]>;
  /** Returns the latest `limit` attempts of an endpoint, the newest first. */
  attempts(input: { endpointId: string; limit: number }): Promise<readonly WebhookAttempt[]>;
}
