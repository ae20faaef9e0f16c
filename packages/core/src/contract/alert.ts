import { z } from "zod";
import { DeviceId, Printable, Timestamp } from "./parts/field.js";
import { listQuery, NextCursor } from "./parts/list.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** Letters, digits, `-` and `_`: the ids of rules and alerts. */
const Id = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 _ -")
  .meta({ examples: ["Qx2v0mS9tHk"] });
const Metric = z
  .string()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u, "1 to 128 printable characters")
  .meta({
    description: "Name of a metric, as in the history, such as `bms.voltage`.",
    examples: ["soc"],
  });
/** A time in a request (§0). */
const Time = z.union([z.iso.datetime({ offset: true }), z.int().min(0).max(8_640_000_000_000_000)]);
const seconds = (min: number, max: number) => z.int().min(min).max(max);
const week = 604_800;

const level = (kind: "above" | "below", other: string) =>
  z.object({
    kind: z.literal(kind),
    metric: Metric,
    threshold: z
      .number()
      .meta({ description: `The alert fires when the metric is ${kind} this value.` }),
    clearAt: z
      .number()
      .optional()
      .meta({
        description: `The alert clears when the metric is at this value or ${other} it. Default: the threshold.`,
      }),
    holdSeconds: seconds(0, week).default(0).meta({
      description:
        "Seconds for which the metric must be beyond the threshold, by the timestamps of the records, before the alert fires. 0 to 604,800. Without it, a metric that crosses its threshold often soon reaches the limit of alerts (§9).",
    }),
  });

/** When an alert fires and clears. */
export const AlertCondition = z.discriminatedUnion("kind", [
  z
    .object({ kind: z.literal("silent"), intervals: z.int().min(2).max(10_000).default(5) })
    .meta({ description: "No telemetry for this many of the device's intervals." }),
  level("above", "below"),
  level("below", "above"),
  z
    .object({ kind: z.literal("update_failed") })
    .meta({ description: "An update of the device failed. Clears when an update succeeds." }),
  z.object({ kind: z.literal("rollout_halted") }).meta({
    description: "The guard halted the rollout of a release. Only for rules of the operators.",
  }),
]);

const Scope = z
  .enum(["own", "operator"])
  .default("own")
  .meta({ description: "`own`: of the caller. `operator`: of all operators; only for operators." });

const ruleFields = {
  name: Printable.meta({ description: "Shown in notifications.", examples: ["Battery low"] }),
  reminderSeconds: seconds(300, 2_592_000).nullable().optional().meta({
    description:
      "How often an alert that fires and is not acknowledged is notified again: 300 to 2,592,000 seconds. null: never.",
  }),
  mutedUntil: Time.nullable().optional().meta({
    description: "No notifications are sent until this time. null: not muted.",
  }),
};

const NewAlertRule = z.object({
  ...ruleFields,
  condition: AlertCondition,
  deviceId: DeviceId.nullable().optional().meta({
    description: "Only for this device of the caller. null: for all.",
  }),
  targetHardware: Printable.nullable()
    .optional()
    .meta({
      description: "Only for devices with this target hardware. null: for all.",
      examples: ["esp32-devkit"],
    }),
});
export type NewAlertRule = z.output<typeof NewAlertRule>;

const AlertRuleChanges = z.object({
  ...ruleFields,
  name: ruleFields.name.optional(),
  condition: AlertCondition.optional(),
});
export type AlertRuleChanges = z.output<typeof AlertRuleChanges>;

const AlertRuleAnswer = z.object({
  id: Id,
  scope: z.enum(["own", "operator"]),
  name: z.string(),
  condition: AlertCondition,
  deviceId: z.string().nullable(),
  targetHardware: z.string().nullable(),
  reminderSeconds: z.int().nullable(),
  mutedUntil: Timestamp.nullable(),
  createdAt: Timestamp,
  changedAt: Timestamp,
});
export type AlertRuleAnswer = z.output<typeof AlertRuleAnswer>;

const AlertAnswer = z.object({
  id: Id,
  ruleId: Id,
  scope: z.enum(["own", "operator"]),
  name: z.string().meta({ description: "The rule's name when the alert fired." }),
  kind: z.string().meta({ description: "The kind of the rule's condition." }),
  deviceId: z.string().nullable().meta({ description: "null: the alert is not about a device." }),
  releaseId: z.int().nullable(),
  state: z.enum(["firing", "cleared"]),
  firedAt: Timestamp,
  clearedAt: Timestamp.nullable(),
  value: z.number().nullable().meta({ description: "The metric's value when the alert fired." }),
  acknowledgedAt: Timestamp.nullable(),
  acknowledgedBy: z.string().nullable(),
  mutedUntil: Timestamp.nullable(),
});
export type AlertAnswer = z.output<typeof AlertAnswer>;

const common = { scope: "api", auth: ["session"], throttle: "dashboard" } as const;
const readErrors = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const bodyErrors = [
  ...jsonBodyErrors,
  "unauthorized",
  "cross_site",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const changeErrors = [
  "invalid_request",
  "unauthorized",
  "cross_site",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const ruleParams = z.object({ ruleId: Id });
const alertParams = z.object({ alertId: Id });
const rule = (description: string) =>
  ({
    status: 200,
    kind: "json",
    description,
    schema: z.object({ rule: AlertRuleAnswer }),
  }) as const;
const alert = (description: string) =>
  ({
    status: 200,
    kind: "json",
    description,
    schema: z.object({ alert: AlertAnswer }),
  }) as const;

export const alertRoutes = {
  listAlertRules: {
    ...common,
    method: "GET",
    path: "/dashboard/alert-rules",
    summary: "Lists the caller's alert rules, or those of the operators, ordered by id.",
    query: listQuery(50).extend({ scope: Scope }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of rules.",
        schema: z.object({
          rules: z.array(AlertRuleAnswer),
          nextCursor: NextCursor,
          evaluatedAt: Timestamp.nullable().meta({
            description: "When the service last evaluated rules. null: it never did.",
          }),
        }),
      },
    ],
    errors: readErrors,
  },
  createAlertRule: {
    ...common,
    method: "POST",
    path: "/dashboard/alert-rules",
    summary: "Creates an alert rule of the caller, or of the operators.",
    query: z.object({ scope: Scope }),
    request: { kind: "json", schema: NewAlertRule, limit: "bodyBytes" },
    responses: [{ ...rule("The new rule."), status: 201 }],
    errors: [...bodyErrors, "forbidden", "device_not_found", "too_many_alert_rules"],
  },
  changeAlertRule: {
    ...common,
    method: "PATCH",
    path: "/dashboard/alert-rules/:ruleId",
    summary:
      "Changes the given fields of an alert rule. An alert that fires is judged by the new condition.",
    params: ruleParams,
    request: { kind: "json", schema: AlertRuleChanges, limit: "bodyBytes" },
    responses: [rule("The changed rule.")],
    errors: [...bodyErrors, "alert_rule_not_found"],
  },
  removeAlertRule: {
    ...common,
    method: "DELETE",
    path: "/dashboard/alert-rules/:ruleId",
    summary: "Deletes an alert rule with its alerts.",
    params: ruleParams,
    request: { kind: "none" },
    responses: [{ status: 204, kind: "empty", description: "Deleted." }],
    errors: [...changeErrors, "alert_rule_not_found"],
  },
  listAlerts: {
    ...common,
    method: "GET",
    path: "/dashboard/alerts",
    summary:
      "Lists the alerts of the caller's rules, or of the operators' rules, the latest first.",
    query: listQuery(50).extend({
      scope: Scope,
      state: z.enum(["firing", "all"]).default("firing"),
      deviceId: DeviceId.optional(),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of alerts.",
        schema: z.object({ alerts: z.array(AlertAnswer), nextCursor: NextCursor }),
      },
    ],
    errors: readErrors,
  },
  acknowledgeAlert: {
    ...common,
    method: "POST",
    path: "/dashboard/alerts/:alertId/acknowledge",
    summary:
      "Acknowledges an alert, which ends its reminders. Only the first user who does so is recorded.",
    params: alertParams,
    request: { kind: "none" },
    responses: [alert("The alert.")],
    errors: [...changeErrors, "alert_not_found"],
  },
  muteAlert: {
    ...common,
    method: "POST",
    path: "/dashboard/alerts/:alertId/mute",
    summary: "Mutes notifications of a rule about one device, until a time.",
    params: alertParams,
    request: {
      kind: "json",
      schema: z.object({
        until: Time.nullable().meta({ description: "null: no longer muted." }),
      }),
      limit: "bodyBytes",
    },
    responses: [alert("The alert.")],
    errors: [...bodyErrors, "alert_not_found"],
  },
} as const satisfies Record<string, Route>;
