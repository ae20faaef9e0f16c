import { z } from "zod";
import { DeviceId, Timestamp } from "./field.js";
import { NextCursor, queryInteger } from "./list.js";
import { alwaysErrors } from "./problem.js";
import type { Route } from "./route.js";

export const Aggregate = z.enum(["avg", "min", "max", "sum", "count", "first", "last"]);
export type Aggregate = z.infer<typeof Aggregate>;

const time = (description: string) =>
  z
    .string()
    .max(40)
    .optional()
    .meta({ description: `${description} ISO 8601 with a zone, or epoch milliseconds.` });

const range = {
  from: time("Start, inclusive."),
  to: time("End, exclusive. Default: now."),
};

const HistoryQuery = z.object({
  hours: z
    .string()
    .regex(/^\d{1,5}(\.\d{1,3})?$/, "A number of hours")
    .optional()
    .meta({ description: "How far back, if `from` is not given. Default: 6." }),
  ...range,
  metrics: z.string().max(4_096).optional().meta({
    description:
      "Comma list of names, or of prefixes such as `bms.*`. Default: the numbers at the top of the records.",
  }),
  limit: queryInteger(1, 5_000, 60),
  interval: z
    .string()
    .regex(/^(auto|raw|[1-9]\d{0,6}[smhd])$/, "auto, raw, or such as 30s, 5m, 1h, 1d")
    .default("auto")
    .meta({
      description:
        "`auto`: raw samples if they fit the limit, else buckets that do. `raw`: the newest samples. Or the length of a bucket.",
    }),
  aggregate: z
    .string()
    .max(64)
    .default("avg")
    .meta({
      description: `Comma list of ${Aggregate.options.join(", ")}. Of several, each value is an object.`,
    }),
  cursor: z
    .string()
    .max(512)
    .optional()
    .meta({ description: "The `nextCursor` of the page before: what is older. Opaque." }),
});

const Point = z
  .looseObject({ timestamp: Timestamp })
  .meta({ description: "A sample or the start of a bucket, and each metric that it has." });

export const HistoryAnswer = z.object({
  deviceId: DeviceId,
  from: Timestamp,
  to: Timestamp,
  interval: z.string().meta({ description: "`raw`, or the length of a bucket such as `5m`." }),
  metrics: z.array(z.string()),
  points: z.array(Point).meta({ description: "Ascending. Buckets without a sample are left out." }),
  truncated: z.boolean().meta({ description: "Something of the range was left out." }),
  nextCursor: NextCursor,
});
export type HistoryAnswer = z.output<typeof HistoryAnswer>;

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
    summary: "How a device's metrics went over time.",
    auth: ["session"],
    throttle: "dashboard",
    params,
    query: HistoryQuery,
    request: { kind: "none" },
    responses: [{ status: 200, kind: "json", description: "The points.", schema: HistoryAnswer }],
    errors,
  },
  followTelemetry: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/telemetry/live",
    summary: "What a device sends, as it comes: server-sent events, five streams a user.",
    auth: ["session"],
    throttle: "dashboard",
    params,
    headers: z.object({
      "last-event-id": z
        .string()
        .regex(/^\d{1,15}$/, "The id of an event")
        .optional()
        .meta({ description: "The id of the last event that the client has: resumes there." }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "stream",
        type: "text/event-stream",
        description:
          "An event a record: its position as the id, itself with its timestamp as data.",
      },
    ],
    errors,
  },
  exportTelemetry: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/telemetry/export",
    summary: "Everything that a device sent in a range, at full resolution, as a stream.",
    auth: ["session"],
    throttle: "dashboard",
    params,
    query: z.object({
      from: time("Start, inclusive. Default: all that is kept."),
      to: range.to,
      format: z.enum(["csv", "ndjson"]).default("csv"),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "stream",
        type: "text/csv; charset=utf-8",
        description: "A line a record, a column a metric.",
      },
      {
        status: 200,
        kind: "stream",
        type: "application/x-ndjson",
        description: "A record a line, as it was sent, with its timestamp.",
      },
    ],
    errors,
  },
} as const satisfies Record<string, Route>;
