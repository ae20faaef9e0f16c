import { z } from "zod";
import { datedHeaders } from "./parts/dated-headers.js";
import { DeviceId, Timestamp } from "./parts/field.js";
import { NextCursor, queryInteger } from "./parts/list.js";
import { alwaysErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

export const Aggregate = z.enum(["avg", "min", "max", "sum", "count", "first", "last"]);
export type Aggregate = z.infer<typeof Aggregate>;

const time = (description: string) =>
  z
    .string()
    .max(40)
    .optional()
    .meta({
      description: `${description} ISO 8601 with a time zone, or milliseconds since the epoch.`,
    });

const range = {
  from: time("Start, inclusive."),
  to: time("End, exclusive. Default: now."),
};

const HistoryQuery = z.object({
  hours: z
    .string()
    .regex(/^\d{1,5}(\.\d{1,3})?$/, "A number of hours, such as 6 or 0.5")
    .optional()
    .meta({ description: "Length of the range in hours, if `from` is absent. Default: 6." }),
  ...range,
  metrics: z.string().max(4_096).optional().meta({
    description:
      "Comma-separated names, or prefixes such as `bms.*`. A comma in a name is written `\\,`, a `*` at its end `\\*`, and a space at its start or end `\\ `. Default: the top-level numbers of the records.",
  }),
  limit: queryInteger(1, 5_000, 60),
  interval: z
    .string()
    .regex(/^(auto|raw|[1-9]\d{0,6}[smhd])$/, "auto, raw, or a length such as 30s, 5m, 1h, 1d")
    .default("auto")
    .meta({
      description:
        "`auto`: raw samples if they fit the limit, else at most `limit` buckets. `raw`: the newest samples. Any other value is the length of a bucket.",
    }),
  aggregate: z
    .string()
    .max(64)
    .default("avg")
    .meta({
      description: `One or more of ${Aggregate.options.join(", ")}, separated by commas. With several, each value is an object.`,
    }),
  cursor: z
    .string()
    .max(512)
    .optional()
    .meta({ description: "The `nextCursor` of the previous page, for older points. Opaque." }),
});

const Point = z.looseObject({ timestamp: Timestamp }).meta({
  description: "The time of a sample or the start of a bucket, and the value of each metric in it.",
});

export const HistoryAnswer = z.object({
  deviceId: DeviceId,
  from: Timestamp,
  to: Timestamp,
  interval: z.string().meta({ description: "`raw`, or the length of a bucket such as `5m`." }),
  metrics: z.array(z.string()),
  points: z.array(Point).meta({ description: "Oldest first. A bucket without samples is absent." }),
  truncated: z.boolean().meta({ description: "Whether samples of the range were left out." }),
  nextCursor: NextCursor,
});
export type HistoryAnswer = z.output<typeof HistoryAnswer>;

const RecordEntry = z.object({
  timestamp: Timestamp.meta({ description: "When it was measured." }),
  receivedAt: Timestamp.meta({ description: "When the gateway received it." }),
  record: z.record(z.string(), z.unknown()).meta({ description: "The record as it was sent." }),
});

const params = z.object({ deviceId: DeviceId });
const errors = [
  "invalid_request",
  "unauthorized",
  "device_not_found",
  "too_many_requests",
  ...alwaysErrors,
] as const;

export const historyRoutes = {
  readTelemetryHistory: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/telemetry/history",
    summary: "Returns a device's metrics over time.",
    auth: ["session"],
    throttle: "dashboard",
    params,
    query: HistoryQuery,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The points.",
        headers: datedHeaders,
        schema: HistoryAnswer,
      },
    ],
    errors,
  },
  listTelemetryRecords: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/telemetry/records",
    summary: "Returns whole records with the time at which each was received, newest first.",
    auth: ["session"],
    throttle: "dashboard",
    params,
    query: z.object({
      from: time("Start, inclusive. Default: the oldest stored record."),
      to: range.to,
      limit: queryInteger(1, 100, 50),
      cursor: HistoryQuery.shape.cursor,
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of records. It has fewer records than `limit` if they are large.",
        headers: datedHeaders,
        schema: z.object({ records: z.array(RecordEntry), nextCursor: NextCursor }),
      },
    ],
    errors,
  },
  followTelemetry: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/telemetry/live",
    summary: "Streams a device's records as server-sent events. A user has at most five streams.",
    auth: ["session"],
    throttle: "dashboard",
    params,
    headers: z.object({
      "last-event-id": z
        .string()
        .regex(/^\d{1,15}$/, "The id of an event: up to 15 digits")
        .optional()
        .meta({
          description:
            "The id of the last event that the client received. The stream resumes after it.",
        }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "stream",
        type: "text/event-stream",
        description:
          "One event per record. `id` is the record's position, `data` the record with its timestamp.",
      },
    ],
    errors,
  },
  exportTelemetry: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/telemetry/export",
    summary: "Streams all records of a range at full resolution.",
    auth: ["session"],
    throttle: "dashboard",
    params,
    query: z.object({
      from: time("Start, inclusive. Default: the oldest stored record."),
      to: range.to,
      format: z.enum(["csv", "ndjson"]).default("csv"),
      header: z.enum(["name", "unit"]).default("name").meta({
        description:
          "The header of a CSV: the names of the metrics, or each name with its unit, such as `voltage [V]`.",
      }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "stream",
        type: "text/csv; charset=utf-8",
        headers: datedHeaders,
        description: "One line per record, one column per metric.",
      },
      {
        status: 200,
        kind: "stream",
        type: "application/x-ndjson",
        headers: datedHeaders,
        description: "One record per line, as it was sent, with its timestamp.",
      },
    ],
    errors,
  },
} as const satisfies Record<string, Route>;
