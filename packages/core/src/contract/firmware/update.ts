import { z } from "zod";
import { DeviceId, FirmwareVersion, Timestamp } from "../parts/field.js";
import { listQuery, NextCursor } from "../parts/list.js";
import { alwaysErrors, jsonBodyErrors } from "../parts/problem.js";
import type { Route } from "../parts/route.js";
import { LatestFirmware, OfferExplanation, OtaState, OtaTargetRequest } from "./firmware-offer.js";
import { ReleaseId } from "./release.js";

const lenientText = z.string().max(4_096).optional().catch(undefined);

/**
 * A device's report about an update (§6). A report that makes no sense is recorded in the history and changes no
 * state.
 */
export const UpdateEvent = z.object({
  state: OtaState,
  version: FirmwareVersion.meta({
    description: "Version of the release that the report is about.",
  }),
  progress: z.number().min(0).max(100).optional().catch(undefined).meta({
    description: "Percent. Stored in steps of ten.",
  }),
  code: lenientText.meta({ description: "The device's own result code." }),
  message: lenientText.meta({ description: "Text for people." }),
  timestamp: z.unknown().optional().meta({
    description: "The device's own time. It is ignored: events are listed by the time of receipt.",
  }),
});
export type UpdateEvent = z.output<typeof UpdateEvent>;

/** A device's answer to an "update now" request. */
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
  status: z
    .string()
    .meta({ description: "`waiting` until the device answers, then the status that it sent." }),
  message: z.string().nullable(),
  answeredAt: Timestamp.nullable(),
});
export type UpdateCommand = z.output<typeof UpdateCommand>;

/** An event of a device's OTA history (§7). */
export const OtaHistoryEvent = z.object({
  id: z.int(),
  createdAt: Timestamp,
  source: z.enum(["telemetry", "device", "command", "server"]),
  state: OtaState,
  offeredVersion: z.string().nullable(),
  fromVersion: z.string(),
  lastResult: z
    .string()
    .meta({ description: "The result that the device reported, or the state." }),
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
    summary: "Returns the firmware that the device is offered, if any.",
    auth: ["device"],
    query: z.object({
      currentVersion: FirmwareVersion.optional().catch(undefined).meta({
        description:
          "The version that the device runs. It applies to this response only. If it is absent or invalid, the version of the last login counts.",
      }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "An offer, or `updateAvailable: false`.",
        schema: LatestFirmware,
      },
    ],
    errors: ["unauthorized", ...alwaysErrors],
  },
  reportUpdate: {
    method: "POST",
    scope: "api",
    path: "/ota/events",
    summary: "Records a device's report about an update.",
    auth: ["device"],
    throttle: "telemetry",
    request: { kind: "json", schema: UpdateEvent, limit: "bodyBytes" },
    responses: [{ status: 202, kind: "json", description: "Recorded.", schema: Accepted }],
    errors: deviceErrors,
  },
  answerUpdateCommand: {
    method: "POST",
    scope: "api",
    path: "/device/ota/status",
    summary: 'Records the answer of a device to an "update now" request.',
    auth: ["device"],
    throttle: "telemetry",
    request: { kind: "json", schema: CommandAnswer, limit: "bodyBytes" },
    responses: [{ status: 202, kind: "json", description: "Recorded.", schema: Accepted }],
    errors: deviceErrors,
  },
  commandUpdate: {
    method: "POST",
    scope: "api",
    path: "/dashboard/devices/:deviceId/ota/check",
    summary: "Requests that a device check for firmware now. Only the owner may do this.",
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 202,
        kind: "json",
        description: "The request waits for the device. If one waits already, its id is returned.",
        schema: z.object({ requestId: z.string() }),
      },
    ],
    errors: [...visibleErrors, "cross_site", "not_owner"],
  },
  readUpdateCommand: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/ota/command",
    summary: 'Returns the latest "update now" request and the answer of the device.',
    auth: ["session"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The request, or null if there is none.",
        schema: z.object({ command: UpdateCommand.nullable() }),
      },
    ],
    errors: visibleErrors,
  },
  readOtaHistory: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/ota/history",
    summary: "Returns the events of a device's updates, newest first.",
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
  setOtaTarget: {
    method: "PATCH",
    scope: "api",
    path: "/operator/devices/:deviceId",
    summary: "Sets a device's channel, pins it to a version, or marks it as a bench device.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "json", schema: OtaTargetRequest, limit: "bodyBytes" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The new settings.",
        schema: z.object({
          deviceId: DeviceId,
          otaChannel: z.string(),
          pinnedVersion: z.string().nullable(),
          benchMode: z.boolean(),
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
  clearUpdateBlocks: {
    method: "DELETE",
    scope: "api",
    path: "/operator/devices/:deviceId/update-blocks",
    summary: "Clears a device's blocks: releases whose update failed are offered again.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [{ status: 204, kind: "empty", description: "No release is blocked." }],
    errors: [...visibleErrors, "forbidden", "cross_site"],
  },
  explainOffer: {
    method: "GET",
    scope: "api",
    path: "/operator/firmware/releases/:releaseId/explain/:deviceId",
    summary: "Explains whether a device is offered a release, with every reason against it.",
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
