import {
  CommandName,
  DeviceId,
  OperatorRelease,
  SentCommand,
  updateNow,
} from "@device-gateway/core/contract";
import { z } from "zod";
import { certificateKinds } from "../cloud/cloud-certificates.js";
import { Fault } from "../cloud/fault.js";
import {
  AuditedEvent,
  Cloud,
  Device,
  Epoch,
  Route,
  routeNames,
  SeenRequest,
} from "./control-schemas.js";

/** An operation of the control API as data. Handlers, OpenAPI document and tests are derived from it. */
export interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path parameters are written `:name`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** A JSON body, or raw bytes. */
  readonly body?: z.ZodType | "bytes";
  readonly status: 200 | 201 | 204;
  /** The JSON of the response. Absent for 204. */
  readonly answer?: z.ZodType;
}

const { commandId } = SentCommand.shape;
const deviceParams = z.object({ deviceId: DeviceId });

/** Every operation of the control API. */
export const controlRoutes = {
  readCloud: {
    method: "GET",
    path: "/cloud",
    summary: "Returns the address for devices, the clock and the keys that devices must trust.",
    status: 200,
    answer: Cloud,
  },
  reset: {
    method: "POST",
    path: "/cloud/reset",
    summary:
      "Replaces everything with a new, empty cloud. Address, release key and authority stay.",
    body: z.strictObject({
      clock: z.enum(["real", "still"]).default("real").meta({
        description: "Whether the clock runs, or stands still until it is advanced.",
      }),
      limits: z
        .record(z.string(), z.number())
        .default({})
        .meta({
          description: "Limits of the gateway by their names in the specification.",
          examples: [{ tokenTtlSeconds: 300 }],
        }),
      commands: z
        .array(CommandName)
        .max(64)
        .refine(
          (names) => !names.includes(updateNow),
          `Leave out ${updateNow}: the gateway declares it itself.`,
        )
        .default([])
        .meta({
          description:
            "Names of commands that can be sent to devices, by POST /devices/{deviceId}/commands and by owners and operators through the gateway's API. Any object is a payload. `update-now` is always declared.",
          examples: [["reboot"]],
        }),
    }),
    status: 200,
    answer: Cloud,
  },
  goOffline: {
    method: "POST",
    path: "/cloud/offline",
    summary: "Closes the port for devices, and all of its connections.",
    status: 204,
  },
  goOnline: {
    method: "POST",
    path: "/cloud/online",
    summary: "Opens the port for devices again.",
    status: 204,
  },
  restart: {
    method: "POST",
    path: "/cloud/restart",
    summary: "Restarts the gateway over the same data. What it had only in memory is lost.",
    status: 204,
  },
  presentCertificate: {
    method: "PUT",
    path: "/cloud/certificate",
    summary:
      "Chooses the certificate of an HTTPS port for new connections, and closes the open ones.",
    body: z.strictObject({ kind: z.enum(certificateKinds) }),
    status: 204,
  },
  advanceClock: {
    method: "POST",
    path: "/clock/advance",
    summary:
      "Advances the cloud's clock, and runs maintenance if its last round is 10 minutes ago or more.",
    body: z.strictObject({
      ms: z
        .int()
        .min(0)
        .max(10 * 365 * 86_400_000),
    }),
    status: 200,
    answer: z.object({ now: Epoch }),
  },
  expireTokens: {
    method: "POST",
    path: "/tokens/expire",
    summary: "Advances the clock beyond the lifetime of every issued device token.",
    status: 204,
  },
  addDevice: {
    method: "POST",
    path: "/devices",
    summary: "Registers a device, and claims it if an owner is given.",
    body: z.strictObject({
      deviceId: DeviceId.optional(),
      claimCode: z.string().optional(),
      hardwareId: z.string().optional(),
      firmwareVersion: z.string().optional(),
      owner: z.string().optional().meta({ description: "The customer who owns the device." }),
    }),
    status: 201,
    answer: Device,
  },
  revokeDevice: {
    method: "POST",
    path: "/devices/:deviceId/revoke",
    summary: "Revokes a device. Its tokens and secrets are rejected from now on.",
    params: deviceParams,
    status: 204,
  },
  readRecords: {
    method: "GET",
    path: "/devices/:deviceId/records",
    summary: "Returns a device's stored records as sent, in the order of arrival.",
    params: deviceParams,
    status: 200,
    answer: z.object({ records: z.array(z.unknown()) }),
  },
  sendCommand: {
    method: "POST",
    path: "/devices/:deviceId/commands",
    summary: "Sends a command to a device. Declare its name first: POST /cloud/reset.",
    params: deviceParams,
    body: z.strictObject({
      name: CommandName,
      payload: z.record(z.string(), z.unknown()).default({}),
    }),
    status: 201,
    answer: z.object({ commandId }),
  },
  readCommand: {
    method: "GET",
    path: "/devices/:deviceId/commands/:commandId",
    summary: "Returns a command with its state and the device's answer.",
    params: deviceParams.extend({ commandId }),
    status: 200,
    answer: SentCommand,
  },
  addRelease: {
    method: "POST",
    path: "/releases",
    summary:
      "Signs a release of the image in the body, uploads the image and activates the release.",
    query: z.strictObject({
      version: z.string(),
      targetHardware: z.string(),
      rolloutPercent: z.coerce.number().int().min(0).max(100).optional(),
      rolloutChannel: z.string().optional(),
    }),
    body: "bytes",
    status: 201,
    answer: OperatorRelease,
  },
  signIn: {
    method: "POST",
    path: "/users",
    summary: "Creates an account and returns its bearer token for the gateway's API.",
    body: z.strictObject({
      id: z.string().min(1).max(200),
      emailVerified: z.boolean().optional(),
      operator: z.boolean().optional(),
    }),
    status: 201,
    answer: z.object({ token: z.string() }),
  },
  fail: {
    method: "POST",
    path: "/faults",
    summary: "Plans a fault for the next requests of a route, or of any route.",
    body: z.strictObject({
      route: z.enum(["any", ...routeNames]),
      fault: Fault,
      times: z.int().min(1).optional().meta({ description: "How many requests fail. Default: 1." }),
      after: z
        .int()
        .min(0)
        .optional()
        .meta({ description: "How many requests succeed first. Default: 0." }),
    }),
    status: 204,
  },
  clearFaults: {
    method: "DELETE",
    path: "/faults",
    summary: "Removes all planned faults.",
    status: 204,
  },
  readRequests: {
    method: "GET",
    path: "/requests",
    summary: "Returns the latest 10,000 requests of devices and users, oldest first.",
    query: z.strictObject({ route: Route.optional() }),
    status: 200,
    answer: z.object({ requests: z.array(SeenRequest) }),
  },
  readAuditTrail: {
    method: "GET",
    path: "/audit-trail",
    summary: "Returns every security event, oldest first.",
    status: 200,
    answer: z.object({ events: z.array(AuditedEvent) }),
  },
  readOpenApi: {
    method: "GET",
    path: "/openapi.json",
    summary: "Returns this document.",
    status: 200,
    answer: z.record(z.string(), z.unknown()),
  },
} as const satisfies Readonly<Record<string, ControlRoute>>;

export type ControlRoutes = typeof controlRoutes;
export type ControlRouteName = keyof ControlRoutes;

type Parsed<Schema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends "bytes"
    ? Uint8Array
    : undefined;
type Part<Name extends ControlRouteName, Key extends string> = ControlRoutes[Name] extends {
  readonly [K in Key]: infer Schema;
}
  ? Parsed<Schema>
  : undefined;

/** The parsed request of an operation. */
export interface ControlRequest<Name extends ControlRouteName> {
  readonly params: Part<Name, "params">;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
}

/** The response of an operation. Ignored for 204. */
export type ControlAnswer<Name extends ControlRouteName> = ControlRoutes[Name] extends {
  readonly answer: infer Schema extends z.ZodType;
}
  ? z.input<Schema>
  : unknown;
