import { z } from "zod";
import { Timestamp } from "./field.js";
import { alwaysErrors, jsonBodyErrors } from "./problem.js";
import type { Route } from "./route.js";

/** Most records in one request (contract §4). */
export const maxBatchRecords = 500;

/** Bounds of one record (contract §4). */
export const recordBounds = { metrics: 256, depth: 8, nameLength: 128 } as const;

export type TelemetryRecordBody = { readonly [field: string]: unknown };
/** One record, or a batch in either of its two forms. */
export type TelemetryRequest =
  | TelemetryRecordBody
  | { readonly records: readonly unknown[] }
  | readonly unknown[];

/** The records of a request: a bare array, those under `records`, or the object itself. */
export function recordsOf(request: TelemetryRequest): readonly unknown[] {
  if (Array.isArray(request)) return request;
  const { records } = request as { records?: unknown };
  return Array.isArray(records) ? records : [request];
}

const recordJsonSchema = {
  type: "object",
  description: `One record, of any nesting: every number and boolean but those of timestamp, seq and ota is a metric named by its path. At most ${recordBounds.metrics} metrics, depth ${recordBounds.depth}, names of ${recordBounds.nameLength} characters.`,
  properties: {
    timestamp: {
      description:
        "When it was measured: ISO 8601 with a zone, in capitals, or epoch milliseconds; the time of receipt if it is absent or null. At most 5 minutes ahead, and not older than the retention.",
      anyOf: [{ type: "string", format: "date-time" }, { type: "number" }, { type: "null" }],
    },
    seq: {
      description: "Tells apart records of one instant.",
      type: ["integer", "null"],
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    ota: { description: "An OTA status section, if it is an object." },
  },
};

/**
 * Looks no deeper than the list of records: each record has its own verdict, so that one bad
 * record never costs the others. The value passes through as it is, to come back whole.
 */
export const TelemetryRequest = z
  .unknown()
  .superRefine((body, context) => {
    if (typeof body !== "object" || body === null) {
      context.addIssue("Send a record as a JSON object, or records as an array.");
    } else if (recordsOf(body as TelemetryRequest).length > maxBatchRecords) {
      context.addIssue(`Send at most ${maxBatchRecords} records at a time.`);
    }
  })
  .meta({
    anyOf: [
      {
        ...recordJsonSchema,
        not: { required: ["records"], properties: { records: { type: "array" } } },
      },
      {
        type: "object",
        description: "A batch. A record that is none is rejected, and costs the others nothing.",
        required: ["records"],
        properties: {
          records: { type: "array", maxItems: maxBatchRecords, items: recordJsonSchema },
        },
      },
      { type: "array", maxItems: maxBatchRecords, items: recordJsonSchema },
    ],
  }) as unknown as z.ZodType<TelemetryRequest, TelemetryRequest>;

/** Why a record was not taken. Sending the same record again gets the same answer. */
export const RejectionCode = z.enum([
  "not_an_object",
  "invalid_timestamp",
  "timestamp_out_of_range",
  "invalid_seq",
  "too_many_metrics",
  "too_deep",
  "name_too_long",
]);
export type RejectionCode = z.infer<typeof RejectionCode>;

export const RejectedRecord = z.object({
  index: z.int().meta({ description: "Place in the request, from 0." }),
  code: RejectionCode,
  message: z.string(),
});
export type RejectedRecord = z.infer<typeof RejectedRecord>;

export const TelemetryAnswer = z.object({
  accepted: z.int().meta({ description: "Records stored by this request." }),
  duplicates: z.int().meta({ description: "Records that were stored before." }),
  rejected: z.array(RejectedRecord),
  serverTime: Timestamp,
  configVersion: z.string().meta({ description: "Read the configuration when it changes." }),
  updateAvailable: z.boolean().meta({ description: "Whether to ask for the latest firmware." }),
});
export type TelemetryAnswer = z.infer<typeof TelemetryAnswer>;

export const telemetryRoutes = {
  sendTelemetry: {
    method: "POST",
    scope: "api",
    path: "/telemetry",
    summary: "A gateway sends one record or a batch; the answer comes when they are durable.",
    auth: ["device"],
    throttle: "telemetry",
    headers: z.object({
      "idempotency-key": z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 visible ASCII characters")
        .optional()
        .meta({ description: "Makes the request safe to repeat for 24 hours." }),
    }),
    request: { kind: "json", schema: TelemetryRequest, limit: "telemetryBodyBytes" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "Every record that is not rejected is durable.",
        schema: TelemetryAnswer,
      },
    ],
    errors: [
      ...jsonBodyErrors,
      "unauthorized",
      "idempotency_key_reused",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
} as const satisfies Record<string, Route>;
