import type { RequestOrigin } from "../shared/request-origin.js";
import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookFilter } from "./webhook.js";

/** An endpoint for people: without its secrets, and without credentials in its URL. */
export type WebhookView = Omit<
  WebhookEndpoint,
  "label" | "sealed" | "revision" | "generation" | "startAfter"
> & { readonly url: string };

/** An input was refused. The message says what to send instead of the field that `path` names. */
export interface InvalidWebhook {
  readonly kind: "invalid";
  readonly path: string;
  readonly message: string;
}

export interface WebhookChanges {
  readonly url?: string | undefined;
  /** Replaces the whole former filter. */
  readonly filter?: Partial<WebhookFilter> | undefined;
  readonly enabled?: boolean | undefined;
}

/** A change of an endpoint: who makes it, for the audit trail. */
export interface WebhookChange {
  readonly id: string;
  /** The user's id. */
  readonly actor: string;
  readonly origin?: RequestOrigin;
}

type Unknown = { readonly kind: "unknown" };

/** Manages the endpoints of a gateway. `@device-gateway/webhooks` implements it, and sends to the endpoints. */
export interface WebhookManager {
  /** Whether owners of devices may have endpoints. */
  readonly forOwners: boolean;
  /** Returns all endpoints, the oldest first. */
  list(): Promise<readonly WebhookView[]>;
  /**
   * Creates an endpoint that gets events from now on. The secret is never shown again. Returns `full` at the limit. With an
   * `ownerId`, it is an endpoint of this user, and gets events about devices while the user owns them. Default: null, an
   * endpoint of the operators.
   */
  create(
    input: Omit<WebhookChange, "id"> & {
      readonly ownerId?: string | null;
      readonly url: string;
      readonly filter?: Partial<WebhookFilter>;
    },
  ): Promise<
    | { readonly kind: "created"; readonly endpoint: WebhookView; readonly secret: string }
    | { readonly kind: "full" }
    | InvalidWebhook
  >;
  change(
    input: WebhookChange & WebhookChanges,
  ): Promise<
    { readonly kind: "changed"; readonly endpoint: WebhookView } | Unknown | InvalidWebhook
  >;
  /** Replaces the secret. For one day, messages are signed with both. */
  rotateSecret(
    input: WebhookChange,
  ): Promise<{ readonly kind: "rotated"; readonly secret: string } | Unknown>;
  /** Deletes an endpoint with its history and messages. */
  remove(input: WebhookChange): Promise<{ readonly kind: "removed" } | Unknown>;
  /**
   * Sends a message of the type `webhook.test`, once. Its attempt appears in the history. Returns the same message until it
   * was tried.
   */
  test(input: {
    readonly id: string;
  }): Promise<
    { readonly kind: "sent"; readonly messageId: string } | { readonly kind: "disabled" } | Unknown
  >;
  /**
   * Sends all events since a time (epoch milliseconds) again, with the message ids that they had. Clocks of servers may
   * differ, so some events from a few minutes before are sent too.
   */
  replay(
    input: WebhookChange & { readonly from: number },
  ): Promise<{ readonly kind: "replaying"; readonly endpoint: WebhookView } | Unknown>;
  /**
   * Sends dead letters again: one, or as many as may wait at a time (100 of a device, 499 in all, including those that
   * wait already). Returns how many.
   */
  retryDead(input: {
    readonly id: string;
    readonly messageId?: string | undefined;
  }): Promise<number>;
  /** Returns at most `limit` of the latest attempts, the newest first. */
  attempts(input: {
    readonly id: string;
    readonly limit: number;
  }): Promise<readonly WebhookAttempt[]>;
  /** Returns at most `limit` messages that wait for an attempt or were given up, by event. */
  messages(input: {
    readonly id: string;
    readonly state: "waiting" | "dead";
    readonly limit: number;
  }): Promise<readonly WebhookDelivery[]>;
}
