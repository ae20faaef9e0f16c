import { z } from "zod";
import { Timestamp } from "./parts/field.js";
import { queryInteger } from "./parts/list.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

const Id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 _ -")
  .meta({ examples: ["6f1c2a50-4a8e-4a42-9f57-2f4c0c9b7d11"] });
const MessageId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, "1 to 128 of A-Z a-z 0-9 _ -")
  .meta({ description: "The header `webhook-id` of a message.", examples: ["evt_4711_mk3x5q2o"] });
/** A time in a request (§0). */
const Time = z.union([z.iso.datetime({ offset: true }), z.int().min(0).max(8_640_000_000_000_000)]);
const Url = z
  .string()
  .min(1)
  .max(2_000)
  .meta({
    description: "Receives the messages. May contain credentials, which are never shown again.",
    examples: ["https://example.com/hook"],
  });
const Secret = z.string().meta({
  description:
    "Signs the messages (Standard Webhooks, `whsec_…`). It is shown only in this response.",
});

/** Text that every database can store and read from JSON. */
const FilterEntry = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\0\p{Cs}]*$/u, "Send it without U+0000 or unpaired surrogates");
const list = (description: string) =>
  z.array(FilterEntry).max(100).default([]).meta({ description });

/** Which events a webhook gets. An empty list allows all. */
const Filter = z
  .object({
    kinds: list("Kinds of events. The list of webhooks returns all kinds."),
    deviceIds: list("Only events of these devices."),
    targetHardware: list("Only events of devices with this target hardware."),
    ownerIds: list("Only events of devices that these users own now, and events that they caused."),
  })
  .meta({ description: "Which events the webhook gets. An empty list allows all." });
export type WebhookFilterRequest = z.output<typeof Filter>;

const Scope = z
  .enum(["own", "operator"])
  .default("own")
  .meta({ description: "`own`: of the caller. `operator`: of all operators; only for operators." });

const NewWebhook = z.object({ url: Url, filter: Filter.prefault({}) });
export type NewWebhook = z.output<typeof NewWebhook>;

const WebhookChanges = z.object({
  url: Url.optional(),
  filter: Filter.optional().meta({ description: "Replaces the whole former filter." }),
  enabled: z.boolean().optional(),
});
export type WebhookChangesRequest = z.output<typeof WebhookChanges>;

const WebhookAnswer = z.object({
  id: Id,
  scope: z.enum(["own", "operator"]),
  url: z.string().meta({ description: "Without credentials and query." }),
  filter: z.object({
    kinds: z.array(z.string()),
    deviceIds: z.array(z.string()),
    targetHardware: z.array(z.string()),
    ownerIds: z.array(z.string()),
  }),
  enabled: z.boolean(),
  disabledReason: z
    .string()
    .nullable()
    .meta({ description: "Why the service disabled it. null: it did not." }),
  createdAt: Timestamp,
  failingSince: Timestamp.nullable().meta({
    description:
      "Since when every attempt fails. null: the latest attempt succeeded, or there was none.",
  }),
});
export type WebhookAnswer = z.output<typeof WebhookAnswer>;

const WebhookAttemptAnswer = z.object({
  messageId: z.string(),
  at: Timestamp,
  durationMs: z.number(),
  status: z.int().nullable().meta({ description: "null: there was no response." }),
  error: z.string().nullable().meta({ description: "Why it failed. null: it arrived." }),
  response: z.string().meta({ description: "The beginning of the response, at most 1 KB." }),
});
export type WebhookAttemptAnswer = z.output<typeof WebhookAttemptAnswer>;

const WebhookMessageAnswer = z.object({
  messageId: z.string(),
  state: z.enum(["waiting", "dead"]),
  kind: z.string().meta({ description: "The kind of the event." }),
  eventId: z.int().nullable().meta({
    description: "The event's id in the event log. null: the message is about no event.",
  }),
  eventAt: Timestamp,
  deviceId: z.string().nullable().meta({ description: "null: the event is not about a device." }),
  since: Timestamp.meta({ description: "When it was first tried or held back." }),
  attempts: z.int(),
  dueAt: Timestamp.nullable().meta({
    description:
      "Time of the next attempt, or from which the message is no longer held back. Null if the message is a dead letter.",
  }),
});
export type WebhookMessageAnswer = z.output<typeof WebhookMessageAnswer>;

const common = { scope: "api", auth: ["session"], throttle: "dashboard" } as const;
const readErrors = [
  "invalid_request",
  "unauthorized",
  "too_many_requests",
  ...alwaysErrors,
  "forbidden",
  "webhooks_not_enabled",
] as const;
const knownErrors = [
  "invalid_request",
  "unauthorized",
  "too_many_requests",
  ...alwaysErrors,
  "webhooks_not_enabled",
  "webhook_not_found",
] as const;
const changeErrors = [...knownErrors, "cross_site"] as const;
const bodyErrors = [
  ...jsonBodyErrors,
  "unauthorized",
  "cross_site",
  "too_many_requests",
  ...alwaysErrors,
  "webhooks_not_enabled",
] as const;

const params = z.object({ webhookId: Id });
const query = z.object({ scope: Scope });
const none = { kind: "none" } as const;
const answer = <Shape extends z.ZodRawShape>(description: string, shape: Shape) =>
  ({ status: 200, kind: "json", description, schema: z.object(shape) }) as const;

export const webhookRoutes = {
  listWebhooks: {
    ...common,
    method: "GET",
    path: "/dashboard/webhooks",
    summary: "Lists the caller's webhooks, or those of the operators, the oldest first.",
    query,
    request: none,
    responses: [
      answer("All webhooks, and the kinds of events that one can get.", {
        webhooks: z.array(WebhookAnswer),
        kinds: z.array(z.string()),
      }),
    ],
    errors: readErrors,
  },
  createWebhook: {
    ...common,
    method: "POST",
    path: "/dashboard/webhooks",
    summary: "Creates a webhook, which gets the events from now on.",
    query,
    request: { kind: "json", schema: NewWebhook, limit: "bodyBytes" },
    responses: [
      {
        ...answer("The new webhook and its secret.", { webhook: WebhookAnswer, secret: Secret }),
        status: 201,
      },
    ],
    errors: [...bodyErrors, "forbidden", "too_many_webhooks"],
  },
  readWebhook: {
    ...common,
    method: "GET",
    path: "/dashboard/webhooks/:webhookId",
    summary: "Returns a webhook.",
    params,
    request: none,
    responses: [answer("The webhook.", { webhook: WebhookAnswer })],
    errors: knownErrors,
  },
  changeWebhook: {
    ...common,
    method: "PATCH",
    path: "/dashboard/webhooks/:webhookId",
    summary:
      "Changes the given fields of a webhook. A webhook that is enabled continues where it stopped.",
    params,
    request: { kind: "json", schema: WebhookChanges, limit: "bodyBytes" },
    responses: [answer("The changed webhook.", { webhook: WebhookAnswer })],
    errors: [...bodyErrors, "webhook_not_found"],
  },
  removeWebhook: {
    ...common,
    method: "DELETE",
    path: "/dashboard/webhooks/:webhookId",
    summary: "Deletes a webhook with its history and the messages that wait.",
    params,
    request: none,
    responses: [{ status: 204, kind: "empty", description: "Deleted." }],
    errors: changeErrors,
  },
  rotateWebhookSecret: {
    ...common,
    method: "POST",
    path: "/dashboard/webhooks/:webhookId/rotate-secret",
    summary: "Creates a new secret. For one day, messages have a signature of the former one too.",
    params,
    request: none,
    responses: [answer("The new secret.", { secret: Secret })],
    errors: changeErrors,
  },
  testWebhook: {
    ...common,
    method: "POST",
    path: "/dashboard/webhooks/:webhookId/test",
    summary:
      "Sends a message of the kind `webhook.test`, once. Its attempt appears in the history.",
    params,
    request: none,
    responses: [{ ...answer("It is sent soon.", { messageId: z.string() }), status: 202 }],
    errors: [...changeErrors, "webhook_disabled"],
  },
  replayWebhook: {
    ...common,
    method: "POST",
    path: "/dashboard/webhooks/:webhookId/replay",
    summary: "Sends all events since a time again, with the message ids that they had.",
    params,
    request: { kind: "json", schema: z.object({ from: Time }), limit: "bodyBytes" },
    responses: [{ ...answer("They are sent soon.", { webhook: WebhookAnswer }), status: 202 }],
    errors: [...bodyErrors, "webhook_not_found"],
  },
  listWebhookAttempts: {
    ...common,
    method: "GET",
    path: "/dashboard/webhooks/:webhookId/attempts",
    summary: "Lists the latest attempts, the latest first. A webhook keeps 200.",
    params,
    query: z.object({ limit: queryInteger(1, 200, 50) }),
    request: none,
    responses: [answer("The attempts.", { attempts: z.array(WebhookAttemptAnswer) })],
    errors: knownErrors,
  },
  listWebhookMessages: {
    ...common,
    method: "GET",
    path: "/dashboard/webhooks/:webhookId/messages",
    summary: "Lists the messages that wait for another attempt, or the dead letters, by event.",
    params,
    query: z.object({
      state: z.enum(["waiting", "dead"]).default("waiting").meta({
        description: "`waiting`: for another attempt. `dead`: the server gave up on them.",
      }),
      limit: queryInteger(1, 500, 50),
    }),
    request: none,
    responses: [answer("The messages.", { messages: z.array(WebhookMessageAnswer) })],
    errors: knownErrors,
  },
  retryWebhookMessages: {
    ...common,
    method: "POST",
    path: "/dashboard/webhooks/:webhookId/retry",
    summary: "Sends one dead letter again, or all of them.",
    params,
    request: {
      kind: "json",
      schema: z.object({
        messageId: MessageId.optional().meta({ description: "Without it: all of them." }),
      }),
      limit: "bodyBytes",
    },
    responses: [
      {
        ...answer("They are sent soon.", {
          messages: z.int().meta({ description: "How many are sent again." }),
        }),
        status: 202,
      },
    ],
    errors: [...bodyErrors, "webhook_not_found", "webhook_message_not_found"],
  },
} as const satisfies Record<string, Route>;
