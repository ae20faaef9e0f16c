import { z } from "zod";
import { DeviceId, Timestamp } from "./parts/field.js";
import { listQuery, NextCursor, queryInteger } from "./parts/list.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** The name of a command: 1 to 64 of `A-Z a-z 0-9 . _ -` (§11). */
export const CommandName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 . _ -")
  .meta({
    description: "One of the commands that the service declares, or `update-now`.",
    examples: ["reboot"],
  });

/** The command that the gateway itself declares: the owner's "update now" (§11). Its payload is empty. */
export const updateNow = "update-now";

const CommandId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "The id of a command")
  .meta({ description: "Opaque. Never used again." });

const Payload = z
  .record(z.string(), z.unknown())
  .meta({ description: "What the command's schema accepts, at most 4,096 bytes of JSON." });

/** A command as the device gets it. */
export const DeviceCommand = z.object({
  commandId: CommandId,
  name: CommandName,
  payload: Payload,
  expiresInSeconds: z.int().meta({
    description:
      "The device must not begin the command later than this many seconds after it received the response.",
  }),
});
export type DeviceCommand = z.output<typeof DeviceCommand>;

export const DeviceCommands = z.object({
  commands: z.array(DeviceCommand).meta({ description: "In the order in which they were sent." }),
  serverTime: Timestamp,
  configVersion: z.string().meta({ description: "If it changed, read the configuration." }),
});
export type DeviceCommands = z.output<typeof DeviceCommands>;

const AnswerStatus = z.enum(["done", "failed", "unknown"]);

/** What a device reports about a command (§11). */
export const CommandResult = z.object({
  status: AnswerStatus.meta({
    description:
      "`unknown`: the device restarted while it ran the command and does not know the outcome.",
  }),
  result: z
    .unknown()
    .optional()
    .meta({ description: "Any JSON value of at most 4,096 bytes, 32 levels deep." }),
  message: z
    .string()
    .max(4_096)
    .optional()
    .catch(undefined)
    .meta({ description: "Text for people. Cut to 512 characters." }),
});
export type CommandResult = z.output<typeof CommandResult>;

const CommandState = z.enum([
  "pending",
  "delivered",
  "done",
  "failed",
  "cancelled",
  "expired",
  "unknown",
]);

/** A command as users see it. */
export const SentCommand = z.object({
  commandId: CommandId,
  name: CommandName,
  payload: Payload,
  state: CommandState.meta({
    description:
      "`expired` and `cancelled`: the device never got it. `unknown`: it got it and did not answer in time.",
  }),
  sentAt: Timestamp,
  expiresAt: Timestamp,
  deliveredAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
  answer: z
    .object({ status: AnswerStatus, result: z.unknown(), message: z.string().nullable() })
    .nullable()
    .meta({ description: "An answer that comes after the end does not change the state." }),
  answeredAt: Timestamp.nullable(),
});
export type SentCommand = z.output<typeof SentCommand>;

export const SendCommandRequest = z.object({
  name: CommandName,
  payload: Payload.default({}),
  expiresAfterSeconds: z.int().min(1).max(2_592_000).optional().meta({
    description:
      "Shortens the time in which the device can get the command. At most what the command declares.",
  }),
});
export type SendCommandRequest = z.output<typeof SendCommandRequest>;

const deviceParams = z.object({ deviceId: DeviceId });
const commandParams = z.object({ deviceId: DeviceId, commandId: CommandId });
const deviceErrors = ["unauthorized", "too_many_requests", ...alwaysErrors] as const;
const visibleErrors = [
  "invalid_request",
  "unauthorized",
  "device_not_found",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const senderErrors = ["forbidden", "not_owner", "cross_site"] as const;
const ofUser = { scope: "api", auth: ["session"], throttle: "dashboard" } as const;
const oneCommand = z.object({ command: SentCommand });

export const commandRoutes = {
  fetchCommands: {
    method: "GET",
    scope: "api",
    path: "/device/commands",
    summary: "Returns the commands that wait for the device. It can wait until there is one.",
    auth: ["device"],
    throttle: "telemetry",
    query: z.object({
      wait: queryInteger(0, 45, 0).meta({
        description:
          "Seconds to wait for a command, 0 to 45, default 0. The response may come earlier, without commands.",
      }),
      after: CommandId.optional().catch(undefined).meta({
        description:
          "The last command that the device received. Without it, the response also has unanswered commands that were delivered before.",
      }),
      limit: queryInteger(1, 10, 10),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The commands. The list may be empty.",
        schema: DeviceCommands,
      },
    ],
    errors: ["invalid_request", ...deviceErrors],
  },
  reportCommand: {
    method: "POST",
    scope: "api",
    path: "/device/commands/:commandId/result",
    summary: "Records the result of a command. Repeating it changes nothing.",
    auth: ["device"],
    throttle: "telemetry",
    params: z.object({ commandId: CommandId }),
    request: { kind: "json", schema: CommandResult, limit: "bodyBytes" },
    responses: [
      {
        status: 202,
        kind: "json",
        description: "Recorded, now or earlier.",
        schema: z.object({ status: z.literal("accepted") }),
      },
    ],
    errors: [...jsonBodyErrors, ...deviceErrors, "command_not_found"],
  },
  sendCommand: {
    ...ofUser,
    method: "POST",
    path: "/dashboard/devices/:deviceId/commands",
    summary: "Sends a command to a device.",
    params: deviceParams,
    headers: z.object({
      "idempotency-key": z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 visible ASCII characters")
        .optional()
        .meta({ description: "Makes the request safe to repeat while the command is kept." }),
    }),
    request: { kind: "json", schema: SendCommandRequest, limit: "bodyBytes" },
    responses: [
      { status: 201, kind: "json", description: "Sent.", schema: oneCommand },
      {
        status: 200,
        kind: "json",
        description: "The command was sent with this Idempotency-Key before.",
        schema: oneCommand,
      },
    ],
    errors: [
      ...jsonBodyErrors,
      ...senderErrors,
      "unauthorized",
      "device_not_found",
      "device_revoked",
      "idempotency_key_reused",
      "too_many_commands",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
  listCommands: {
    ...ofUser,
    method: "GET",
    path: "/dashboard/devices/:deviceId/commands",
    summary: "Returns the commands of a device, the last sent first.",
    params: deviceParams,
    query: listQuery(20),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of commands.",
        schema: z.object({ commands: z.array(SentCommand), nextCursor: NextCursor }),
      },
    ],
    errors: visibleErrors,
  },
  readCommand: {
    ...ofUser,
    method: "GET",
    path: "/dashboard/devices/:deviceId/commands/:commandId",
    summary: "Returns a command with its state and the device's answer.",
    params: commandParams,
    request: { kind: "none" },
    responses: [{ status: 200, kind: "json", description: "The command.", schema: oneCommand }],
    errors: [...visibleErrors, "command_not_found"],
  },
  cancelCommand: {
    ...ofUser,
    method: "POST",
    path: "/dashboard/devices/:deviceId/commands/:commandId/cancel",
    summary: "Cancels a command that the device has not received yet.",
    params: commandParams,
    request: { kind: "none" },
    responses: [
      { status: 200, kind: "json", description: "The command is cancelled.", schema: oneCommand },
    ],
    errors: [...visibleErrors, ...senderErrors, "command_not_found", "command_not_pending"],
  },
} as const satisfies Record<string, Route>;
