import { z } from "zod";
import { DeviceId, Timestamp } from "./parts/field.js";
import { listQuery, NextCursor } from "./parts/list.js";
import { alwaysErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** A device as an operator sees it. */
export const OperatorDevice = z.object({
  id: DeviceId,
  name: z.string().nullable().meta({ description: "The name that the owner gave it." }),
  hardwareId: z.string(),
  targetHardware: z.string(),
  firmwareVersion: z.string(),
  otaChannel: z.string(),
  pinnedVersion: z
    .string()
    .nullable()
    .meta({ description: "The only version that the device is offered, or null." }),
  benchMode: z.boolean().meta({
    description: "Whether failed updates of this device neither block nor halt a release.",
  }),
  ownerId: z.string().nullable(),
  claimedAt: Timestamp.nullable(),
  registeredAt: Timestamp,
  firstUsedAt: Timestamp.nullable().meta({
    description: "null if the device never sent an authenticated request.",
  }),
  lastSeen: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
});
export type OperatorDevice = z.output<typeof OperatorDevice>;

/** A security event of the audit trail. */
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

const searchText = (description: string) =>
  z
    .string()
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,129}$/u, "1 to 129 printable characters")
    .optional()
    .meta({ description: `${description} A \`*\` at the end stands for any further characters.` });
const flag = (description: string) => z.enum(["true", "false"]).optional().meta({ description });

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
    summary: "Lists all devices, or those that meet every given condition.",
    auth: ["operator"],
    throttle: "dashboard",
    query: z.object({
      ...listQuery(50).shape,
      metadata: z.string().max(400).optional().meta({
        description:
          "`key:value`: only devices whose metadata has exactly this value. The key must be indexed.",
      }),
      id: searchText("The device's id."),
      name: searchText("The name that the owner gave it."),
      owner: searchText("The owner's user id."),
      hardware: searchText("The target hardware."),
      version: searchText("The firmware version."),
      revoked: flag("Whether the device is revoked."),
      claimed: flag("Whether somebody owns the device."),
      lastSeenBefore: z.string().max(40).optional().meta({
        description:
          "Only devices that were last seen before this time, or never. ISO 8601 with a time zone, or milliseconds since the epoch.",
      }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description:
          "A page of devices, sorted by the index that found them: by name, owner, version or hardware if the search names one, else by id. A page of a search can have fewer devices than `limit`, or none, before the last page.",
        schema: z.object({ devices: z.array(OperatorDevice), nextCursor: NextCursor }),
      },
    ],
    errors: listErrors,
  },
  inspectDevice: {
    method: "GET",
    scope: "api",
    path: "/operator/devices/:deviceId",
    summary:
      "Returns a device with the fields that only operators see, such as its pin and revocation.",
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
    summary: "Revokes a device: its tokens, secret and code are rejected from now on.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The device is revoked, by this request or an earlier one.",
        schema: z.object({ deviceId: DeviceId, revokedAt: Timestamp }),
      },
    ],
    errors: changeErrors,
  },
  reinstateDevice: {
    method: "POST",
    scope: "api",
    path: "/operator/devices/:deviceId/reinstate",
    summary: "Ends a revocation. The device can log in with its secret again.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The device is not revoked.",
        schema: z.object({ deviceId: DeviceId }),
      },
    ],
    errors: changeErrors,
  },
  eraseDevice: {
    method: "DELETE",
    scope: "api",
    path: "/operator/devices/:deviceId",
    summary:
      "Erases a device and its data. Its events in the audit trail stay, and so does a copy in a telemetry sink.",
    auth: ["operator"],
    throttle: "dashboard",
    params: deviceParams,
    query: z.object({
      block: z
        .enum(["true", "false"])
        .default("false")
        .meta({ description: "Whether the id is blocked, so that it cannot be registered again." }),
    }),
    request: { kind: "none" },
    responses: [{ status: 204, kind: "empty", description: "Erased." }],
    errors: changeErrors,
  },
  readAuditTrail: {
    method: "GET",
    scope: "api",
    path: "/operator/audit",
    summary: "Returns the audit trail, or other kinds of the event log, oldest or newest first.",
    auth: ["operator"],
    throttle: "dashboard",
    query: z.object({
      ...listQuery(50).shape,
      order: z.enum(["oldest", "newest"]).default("oldest").meta({
        description:
          "The order of the events. A cursor continues in the order of the page that it came from.",
      }),
      deviceId: DeviceId.optional().meta({ description: "Only events of this device." }),
      actor: z
        .string()
        .regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u, "1 to 255 printable characters")
        .optional()
        .meta({ description: "Only events with this `actor`: a user id, `device` or `gateway`." }),
      kinds: z.string().max(1_000).optional().meta({
        description:
          "Kinds of events, separated by commas, or `all`. Without it, the kinds of the audit trail: all but `update.moved`, `alert.firing`, `alert.cleared`, `device.online` and `device.offline`.",
      }),
      format: z.enum(["json", "ndjson"]).default("json").meta({
        description:
          "`ndjson` streams all events after the cursor, one per line. It ignores `limit`.",
      }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of events. The last cursor finds later events.",
        schema: z.object({ events: z.array(AuditEvent), nextCursor: NextCursor }),
      },
      {
        status: 200,
        kind: "stream",
        type: "application/x-ndjson",
        description: "One event per line.",
      },
    ],
    errors: listErrors,
  },
} as const satisfies Record<string, Route>;
