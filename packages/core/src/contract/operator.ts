import { z } from "zod";
import { DeviceId, Timestamp } from "./field.js";
import { listQuery, NextCursor } from "./list.js";
import { alwaysErrors } from "./problem.js";
import type { Route } from "./route.js";

/** A device as an operator sees it. */
export const OperatorDevice = z.object({
  id: DeviceId,
  hardwareId: z.string(),
  targetHardware: z.string(),
  firmwareVersion: z.string(),
  otaChannel: z.string(),
  pinnedVersion: z.string().nullable().meta({ description: "The only version offered to it." }),
  ownerId: z.string().nullable(),
  claimedAt: Timestamp.nullable(),
  registeredAt: Timestamp,
  firstUsedAt: Timestamp.nullable().meta({ description: "null: never logged in, nothing sent." }),
  lastSeen: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
});
export type OperatorDevice = z.output<typeof OperatorDevice>;

/** One line of the audit trail. */
export const AuditEvent = z.object({
  id: z.int(),
  kind: z.string(),
  at: Timestamp,
  deviceId: z.string(),
  actor: z.string(),
  requestId: z.string().nullable(),
  clientAddress: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditEvent = z.output<typeof AuditEvent>;

const deviceParams = z.object({ deviceId: DeviceId });
const listErrors = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const changeErrors = [...listErrors, "cross_site", "device_not_found"] as const;

export const operatorRoutes = {
  listAllDevices: {
    method: "GET",
    scope: "api",
    path: "/operator/devices",
    summary: "Every device.",
    auth: ["operator"],
    throttle: "dashboard",
    query: listQuery(50),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of devices, by id.",
        schema: z.object({ devices: z.array(OperatorDevice), nextCursor: NextCursor }),
      },
    ],
    errors: listErrors,
  },
  inspectDevice: {
    method: "GET",
    scope: "api",
    path: "/operator/devices/:deviceId",
    summary: "A device as operators see it: its pin, and whether it is revoked.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The device.",
        schema: z.object({ device: OperatorDevice }),
      },
    ],
    errors: [...listErrors, "device_not_found"],
  },
  revokeDevice: {
    method: "POST",
    scope: "api",
    path: "/operator/devices/:deviceId/revoke",
    summary: "Shuts a device out: no token, secret or code of its is taken any more.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "Revoked, now or before.",
        schema: z.object({ deviceId: DeviceId, revokedAt: Timestamp }),
      },
    ],
    errors: changeErrors,
  },
  reinstateDevice: {
    method: "POST",
    scope: "api",
    path: "/operator/devices/:deviceId/reinstate",
    summary: "Lets a revoked device in again; it logs in with its secret.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "Reinstated, or never revoked.",
        schema: z.object({ deviceId: DeviceId }),
      },
    ],
    errors: changeErrors,
  },
  eraseDevice: {
    method: "DELETE",
    scope: "api",
    path: "/operator/devices/:deviceId",
    summary: "Erases a device with its data. What the audit trail says of it stays.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    query: z.object({
      block: z
        .enum(["true", "false"])
        .default("false")
        .meta({ description: "Whether the id may never be registered again." }),
    }),
    request: { kind: "none" },
    responses: [{ status: 204, kind: "empty", description: "Erased." }],
    errors: changeErrors,
  },
  readAuditTrail: {
    method: "GET",
    scope: "api",
    path: "/operator/audit",
    summary: "The audit trail, oldest or newest first.",
    auth: ["operator"],
    throttle: "dashboard",
    query: z.object({
      ...listQuery(50).shape,
      order: z.enum(["oldest", "newest"]).default("oldest").meta({
        description: "What comes first. A cursor goes on in the order that it came from.",
      }),
      format: z
        .enum(["json", "ndjson"])
        .default("json")
        .meta({ description: "`ndjson` streams all from the cursor on, a line each; no `limit`." }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of events. The last cursor finds what comes later.",
        schema: z.object({ events: z.array(AuditEvent), nextCursor: NextCursor }),
      },
      {
        status: 200,
        kind: "stream",
        type: "application/x-ndjson",
        description: "A line an event.",
      },
    ],
    errors: listErrors,
  },
} as const satisfies Record<string, Route>;
