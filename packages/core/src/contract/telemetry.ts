import { z } from "zod";
import { Timestamp } from "./parts/field.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** Largest number of records in one request (§4). */
export const maxBatchRecords = 500;

/** Limits of one record (§4). `nameLength` is in UTF-16 code units. */
export const recordBounds = { metrics: 256, depth: 8, nameLength: 128 } as const;

export type TelemetryRecordBody = { readonly [field: string]: unknown };
/** One record, or a batch in one of its two forms. */
export type TelemetryRequest =
  | TelemetryRecordBody
  | { readonly records: readonly unknown[] }
  | readonly unknown[];

/**
 * Returns the records of a request: the bare array, the array under `records`, or the object itself.
 *
 * @example
 * recordsOf({ records: [{ soc: 50 }, { soc: 51 }] }); // [{ soc: 50 }, { soc: 51 }]
 * recordsOf({ soc: 50 }); // [{ soc: 50 }]
 */
export function recordsOf(request: TelemetryRequest): readonly unknown[] {
  if (Array.isArray(request)) return request;
  const { records } = request as { records?: unknown };
  return Array.isArray(records) ? records : [request];
}

const recordJsonSchema = {
  type: "object",
  description: `One record, which may be nested. Every number and boolean is a metric named by its path, except in timestamp, seq and ota. At most ${recordBounds.metrics} metrics, depth ${recordBounds.depth}, names of ${recordBounds.nameLength} characters.`,
  properties: {
    timestamp: {
      description:
        "Time of the measurement: ISO 8601 with a time zone, with capital T and Z, or milliseconds since the epoch. If it is absent or null, the time of receipt. At most 5 minutes in the future, and not older than the retention.",
      anyOf: [{ type: "string", format: "date-time" }, { type: "number" }, { type: "null" }],
    },
    seq: {
      description: "Distinguishes records with the same timestamp.",
      type: ["integer", "null"],
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    ota: { description: "An OTA status section, if it is an object." },
  },
};

/**
 * Checks only the list of records. Each record is checked on its own, so that an invalid record never affects the
 * others. The value passes through unchanged, because the export returns whole records.
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
        not: { required: ["records"], properties: { records: { type: "array", items: {} } } },
      },
      {
        type: "object",
        description: "A batch. An invalid record is rejected and does not affect the others.",
        required: ["records"],
        properties: {
          records: { type: "array", maxItems: maxBatchRecords, items: recordJsonSchema },
        },
      },
      { type: "array", maxItems: maxBatchRecords, items: recordJsonSchema },
    ],
  }) as unknown as z.ZodType<TelemetryRequest, TelemetryRequest>;

/** Why a record was rejected. The same record sent again is rejected with the same code. */
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
  index: z.int().meta({ description: "Index of the record in the request, from 0." }),
  code: RejectionCode,
  message: z.string(),
});
export type RejectedRecord = z.infer<typeof RejectedRecord>;

export const TelemetryAnswer = z.object({
  accepted: z.int().meta({ description: "Records stored by this request." }),
  duplicates: z.int().meta({ description: "Records that were already stored." }),
  rejected: z.array(RejectedRecord),
  serverTime: Timestamp,
  configVersion: z.string().meta({ description: "If it changed, read the configuration." }),
  updateAvailable: z.boolean().meta({ description: "If true, ask for the latest firmware." }),
  commandsWaiting: z
    .boolean()
    .optional()
    .meta({ description: "True if a command waits for the device: fetch it. Otherwise absent." }),
});
export type TelemetryAnswer = z.infer<typeof TelemetryAnswer>;

export const telemetryRoutes = {
  sendTelemetry: {
    method: "POST",
    scope: "api",
    path: "/telemetry",
    summary:
      "Stores one record or a batch. The response is sent after all accepted records are durable.",
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
