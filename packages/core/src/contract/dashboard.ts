import { z } from "zod";
import { DeviceConfig } from "./config.js";
import { DeviceId, Timestamp } from "./parts/field.js";
import { listQuery, NextCursor } from "./parts/list.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** A device as the dashboard shows it. The metrics of the option `summaryMetrics` are added to these fields. */
export const DeviceSummary = z.looseObject({
  id: DeviceId,
  name: z.string().meta({ description: "The name that the owner gave it, or its id." }),
  status: z.enum(["online", "offline"]).meta({
    description:
      "`online` if the device sent a request within 5 minutes or 3 telemetry intervals, whichever is longer.",
  }),
  isOwner: z.boolean(),
  targetHardware: z.string(),
  otaChannel: z.string(),
  firmwareVersion: z.string(),
  latestFirmwareVersion: z.string().nullable(),
  latestFirmwareReleasedAt: Timestamp.nullable(),
  updateAvailable: z.boolean(),
  lastSeen: Timestamp.nullable(),
  claimedAt: Timestamp.nullable(),
  expectedIntervalSeconds: z.int(),
  secondsSinceLastTelemetry: z.int().nullable(),
  secondsUntilNextExpectedCheckIn: z.int().nullable(),
  revokedAt: Timestamp.optional().meta({ description: "Absent unless the device is revoked." }),
  failedVersion: z.string().optional().meta({
    description:
      "The version that the device was offered last, if the update to it failed. A later owner does not see it.",
  }),
  refusedAt: Timestamp.optional().meta({
    description:
      "When telemetry of the device was last refused. Absent if that was more than 24 hours ago.",
  }),
});
export type DeviceSummary = z.output<typeof DeviceSummary>;

const DeviceName = z
  .string()
  .trim()
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u, "1 to 64 printable characters")
  .meta({ examples: ["Boiler room"] });

const DeviceAnswer = z.object({ device: DeviceSummary });
const deviceParams = z.object({ deviceId: DeviceId });
const RenameRequest = z.object({ name: DeviceName });

export const DeviceConfigAnswer = z.object({
  config: DeviceConfig.meta({ description: "The effective configuration of the device." }),
  overrides: z
    .record(z.string(), z.unknown())
    .meta({ description: "The device's own configuration layer." }),
  configVersion: z.string(),
});
export type DeviceConfigAnswer = z.output<typeof DeviceConfigAnswer>;

const ConfigHistoryEntry = z.object({
  id: z.int(),
  changedAt: Timestamp,
  settings: z.array(z.string()).meta({ description: "The names of the changed settings." }),
});
export type ConfigHistoryEntry = z.output<typeof ConfigHistoryEntry>;

const etag = { ETag: "The configVersion, in quotes. Send it as If-Match." };
const deviceErrors = [
  "invalid_request",
  "unauthorized",
  "device_not_found",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const changeErrors = [
  ...jsonBodyErrors,
  "unauthorized",
  "cross_site",
  "not_owner",
  "device_not_found",
  "too_many_requests",
  ...alwaysErrors,
] as const;

const rename = {
  scope: "api",
  path: "/dashboard/devices/:deviceId",
  summary: "Renames a device that the caller owns.",
  auth: ["session"],
  throttle: "dashboard",
  params: deviceParams,
  request: { kind: "json", schema: RenameRequest, limit: "bodyBytes" },
  responses: [{ status: 200, kind: "json", description: "Renamed.", schema: DeviceAnswer }],
  errors: changeErrors,
} as const;

export const dashboardRoutes = {
  listDevices: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices",
    summary: "Lists the devices that the caller owns. An operator gets all devices.",
    auth: ["session"],
    throttle: "dashboard",
    query: listQuery(500),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of devices, sorted by id.",
        schema: z.object({ devices: z.array(DeviceSummary), nextCursor: NextCursor }),
      },
    ],
    errors: ["invalid_request", "unauthorized", "too_many_requests", ...alwaysErrors],
  },
  readDevice: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId",
    summary: "Returns a device with its latest record.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The device.",
        schema: z.object({
          device: DeviceSummary,
          telemetry: z.record(z.string(), z.unknown()).meta({
            description: "The latest record with its timestamp, or `{}` if there is none.",
          }),
          metadata: z.record(z.string(), z.unknown()).optional().meta({
            description:
              "The operator's facts about the device that its owner can read. Absent if there are none to read.",
          }),
        }),
      },
    ],
    errors: deviceErrors,
  },
  renameDevice: { method: "PUT", ...rename },
  patchDevice: { method: "PATCH", ...rename },
  readDeviceConfig: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/config",
    summary: "Returns a device's configuration, and which settings come from its own layer.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The configuration.",
        schema: DeviceConfigAnswer,
        headers: etag,
      },
    ],
    errors: deviceErrors,
  },
  changeDeviceConfig: {
    method: "PUT",
    scope: "api",
    path: "/dashboard/devices/:deviceId/config",
    summary:
      "Changes settings of a device that the caller owns, with a merge patch (RFC 7396) over its own layer.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    headers: z.object({
      "if-match": z.string().optional().meta({
        description:
          "The ETag of the configuration to change. If it is not the current one, the response is 412.",
      }),
    }),
    request: {
      kind: "json",
      schema: z.record(z.string(), z.unknown()),
      limit: "bodyBytes",
    },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The new configuration.",
        schema: DeviceConfigAnswer,
        headers: etag,
      },
    ],
    errors: [...changeErrors, "precondition_failed"],
  },
  readConfigHistory: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/config/history",
    summary: "Lists when settings of a device's own layer were changed, newest first.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    query: listQuery(20),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of changes. A later owner gets only those since their claim.",
        schema: z.object({ changes: z.array(ConfigHistoryEntry), nextCursor: NextCursor }),
      },
    ],
    errors: deviceErrors,
  },
  openReEnrolment: {
    method: "POST",
    scope: "api",
    path: "/dashboard/devices/:deviceId/re-enrolment",
    summary:
      "Opens a re-enrolment window: the device can register again with its claim code, once, within 15 minutes.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The window is open until `expiresAt`.",
        schema: z.object({ deviceId: DeviceId, expiresAt: Timestamp }),
      },
    ],
    errors: [...deviceErrors, "cross_site"],
  },
} as const satisfies Record<string, Route>;
