import { z } from "zod";
import { DeviceId } from "./parts/field.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

const text = (most: number) =>
  z
    .string()
    .trim()
    .regex(
      new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${most}}$`, "u"),
      `1 to ${most} printable characters`,
    );

const fields = {
  displayName: text(64).meta({
    description:
      "The name that people see. Each `*` in it is replaced by the index, counted from 1.",
  }),
  unit: text(16).meta({ description: "The unit of the values.", examples: ["V"] }),
  decimals: z.int().min(0).max(9).meta({ description: "How many decimals are shown." }),
  min: z.number().meta({ description: "The lowest expected value. Charts begin here or lower." }),
  max: z.number().meta({ description: "The highest expected value. Charts end here or higher." }),
};

/** How the values of a metric are shown (§7). */
export const MetricDescription = z.object(fields).partial();
export type MetricDescription = z.output<typeof MetricDescription>;

const example = { "cellVoltages.*.voltage": { displayName: "Cell *", unit: "V", decimals: 3 } };
const metricName = z
  .string()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u, "1 to 256 printable characters");

/** Descriptions by the names of metrics. A `*` in a name stands for any index of a list. */
export const MetricDescriptions = z
  .record(metricName, MetricDescription)
  .meta({ examples: [example] });
export type MetricDescriptions = z.output<typeof MetricDescriptions>;

const nullable = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [name, field.nullable().optional()]),
) as { [Name in keyof typeof fields]: z.ZodOptional<z.ZodNullable<(typeof fields)[Name]>> };

const MetricsPatch = z
  .record(metricName, z.strictObject(nullable).nullable())
  .meta({ examples: [example] });
export type MetricsPatch = z.output<typeof MetricsPatch>;

const MetricsAnswer = z.object({
  metrics: MetricDescriptions.meta({ description: "What operators set for this hardware." }),
  declared: MetricDescriptions.meta({
    description:
      "What the embedder declared for it. Each field of `metrics` replaces the declared one.",
  }),
  metricsVersion: z
    .string()
    .meta({ description: "Opaque. Changes whenever `metrics` changes, and only then." }),
});
export type MetricsAnswer = z.output<typeof MetricsAnswer>;

const common = {
  scope: "api",
  path: "/operator/metrics",
  auth: ["operator"],
  throttle: "dashboard",
  query: z.object({
    targetHardware: z
      .string()
      .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u, "1 to 128 printable characters")
      .meta({ examples: ["esp32:devkit-v1"] }),
  }),
} as const;

const answer = {
  status: 200,
  kind: "json",
  schema: MetricsAnswer,
  headers: { ETag: "The metricsVersion, in quotes. Send it as If-Match." },
} as const;

const errors = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "too_many_requests",
  ...alwaysErrors,
] as const;

export const metricRoutes = {
  readDeviceMetrics: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/metrics",
    summary: "Returns the display names, units, decimals and ranges of a device's metrics.",
    auth: ["session"],
    throttle: "dashboard",
    params: z.object({ deviceId: DeviceId }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The descriptions for the device's target hardware.",
        schema: z.object({ metrics: MetricDescriptions }),
      },
    ],
    errors: [
      "invalid_request",
      "unauthorized",
      "device_not_found",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
  readHardwareMetrics: {
    ...common,
    method: "GET",
    summary: "Returns how the metrics of a target hardware are shown.",
    request: { kind: "none" },
    responses: [{ ...answer, description: "The descriptions." }],
    errors,
  },
  changeHardwareMetrics: {
    ...common,
    method: "PATCH",
    summary:
      "Changes how the metrics of a target hardware are shown, with a merge patch (RFC 7396).",
    headers: z.object({
      "if-match": z.string().optional().meta({
        description:
          "The ETag of the descriptions to change. If it is not the current one, the response is 412.",
      }),
    }),
    request: { kind: "json", schema: MetricsPatch, limit: "bodyBytes" },
    responses: [{ ...answer, description: "The new descriptions." }],
    errors: [...jsonBodyErrors, ...errors.slice(1), "cross_site", "precondition_failed"] as const,
  },
} as const satisfies Record<string, Route>;
