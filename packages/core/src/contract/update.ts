import { z } from "zod";
import { DeviceId, FirmwareVersion, Timestamp } from "./field.js";
import { LatestFirmware, OfferExplanation, OtaState, OtaTargetRequest } from "./firmware-offer.js";
import { listQuery, NextCursor } from "./list.js";
import { alwaysErrors, jsonBodyErrors } from "./problem.js";
import { ReleaseId } from "./release.js";
import type { Route } from "./route.js";

const lenientText = z.string().max(4_096).optional().catch(undefined);

/** What a device tells of an update. Whatever makes no sense is kept as history, and moves nothing. */
export const UpdateEvent = z.object({
  state: OtaState,
  version: FirmwareVersion.meta({ description: "Of the release that it is about." }),
  progress: z.number().min(0).max(100).optional().catch(undefined).meta({
    description: "Percent. Kept in steps of ten.",
  }),
  code: lenientText.meta({ description: "The device's own word for it." }),
  message: lenientText.meta({ description: "For people." }),
  timestamp: z.unknown().optional().meta({
    description: "The device's own time. Events are listed by when they were received.",
  }),
});
export type UpdateEvent = z.output<typeof UpdateEvent>;

/** What a device says to an "update now". */
export const CommandAnswer = z.object({
  requestId: z.string().min(1).max(128),
  status: z.string().min(1).max(256),
  message: lenientText,
});
export type CommandAnswer = z.output<typeof CommandAnswer>;

const Accepted = z.object({ status: z.literal("accepted") });

export const UpdateCommand = z.object({
  requestId: z.string(),
  requestedAt: Timestamp,
  status: z.string().meta({ description: "`waiting`, then the device's own word." }),
  message: z.string().nullable(),
  answeredAt: Timestamp.nullable(),
});
export type UpdateCommand = z.output<typeof UpdateCommand>;

/** A line of a device's OTA history (contract §7). */
export const OtaHistoryEvent = z.object({
  id: z.int(),
  createdAt: Timestamp,
  source: z.enum(["telemetry", "device", "command", "server"]),
  state: OtaState,
  offeredVersion: z.string().nullable(),
  fromVersion: z.string(),
  lastResult: z.string().meta({ description: "The device's own word; else the state." }),
  lastCheckSucceeded: z.boolean().nullable(),
  updateAvailable: z.boolean().nullable(),
  updateApplied: z.boolean().nullable(),
  progress: z.number().nullable(),
  message: z.string().nullable(),
});
export type OtaHistoryEvent = z.output<typeof OtaHistoryEvent>;

const deviceParams = z.object({ deviceId: DeviceId });
const deviceErrors = [
  ...jsonBodyErrors,
  "unauthorized",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const visibleErrors = [
  "invalid_request",
  "unauthorized",
  "device_not_found",
  "too_many_requests",
  ...alwaysErrors,
] as const;

export const updateRoutes = {
  readLatestFirmware: {
    method: "GET",
    scope: "api",
    path: "/ota/latest",
    summary: "A gateway asks whether there is firmware for it.",
    auth: ["device"],
    query: z.object({
      currentVersion: FirmwareVersion.optional().catch(undefined).meta({
        description:
          "What the gateway runs, for this answer alone. Default, also for one that is no such version: as it said at login.",
      }),
    }),
    request: { kind: "none" },
    responses: [
      { status: 200, kind: "json", description: "An offer, or none.", schema: LatestFirmware },
    ],
    errors: ["unauthorized", ...alwaysErrors],
  },
  reportUpdate: {
    method: "POST",
    scope: "api",
    path: "/ota/events",
    summary: "A gateway tells how an update goes.",
    auth: ["device"],
    throttle: "telemetry",
    request: { kind: "json", schema: UpdateEvent, limit: "bodyBytes" },
    responses: [{ status: 202, kind: "json", description: "Kept.", schema: Accepted }],
    errors: deviceErrors,
  },
  answerUpdateCommand: {
    method: "POST",
    scope: "api",
    path: "/device/ota/status",
    summary: 'A gateway answers an "update now".',
    auth: ["device"],
    throttle: "telemetry",
    request: { kind: "json", schema: CommandAnswer, limit: "bodyBytes" },
    responses: [{ status: 202, kind: "json", description: "Kept.", schema: Accepted }],
    errors: deviceErrors,
  },
  commandUpdate: {
    method: "POST",
    scope: "api",
    path: "/dashboard/devices/:deviceId/ota/check",
    summary: "The owner asks a device to look for firmware now.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 202,
        kind: "json",
        description: "It waits for the device; one that waits already is the same.",
        schema: z.object({ requestId: z.string() }),
      },
    ],
    errors: [...visibleErrors, "cross_site", "not_owner"],
  },
  readUpdateCommand: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/ota/command",
    summary: 'The last "update now", and what the device said to it.',
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "null without one.",
        schema: z.object({ command: UpdateCommand.nullable() }),
      },
    ],
    errors: visibleErrors,
  },
  readOtaHistory: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/ota/history",
    summary: "What happened to a device's updates, newest first.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    query: listQuery(20),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of events.",
        schema: z.object({ events: z.array(OtaHistoryEvent), nextCursor: NextCursor }),
      },
    ],
    errors: visibleErrors,
  },
  steerDevice: {
    method: "PATCH",
    scope: "api",
    path: "/operator/devices/:deviceId",
    summary: "Sets a device's channel, or pins it to a version.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "json", schema: OtaTargetRequest, limit: "bodyBytes" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "As they are from now on.",
        schema: z.object({
          deviceId: DeviceId,
          otaChannel: z.string(),
          pinnedVersion: z.string().nullable(),
        }),
      },
    ],
    errors: [
      ...jsonBodyErrors,
      "unauthorized",
      "forbidden",
      "cross_site",
      "device_not_found",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
  explainOffer: {
    method: "GET",
    scope: "api",
    path: "/operator/firmware/releases/:releaseId/explain/:deviceId",
    summary: "Whether a device is offered a release, and every reason why not.",
    auth: ["operator"],
    throttle: "dashboard",
    params: z.object({ releaseId: ReleaseId, deviceId: DeviceId }),
    request: { kind: "none" },
    responses: [
      { status: 200, kind: "json", description: "The explanation.", schema: OfferExplanation },
    ],
    errors: [...visibleErrors, "forbidden", "release_not_found"],
  },
} as const satisfies Record<string, Route>;
