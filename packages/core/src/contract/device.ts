import { z } from "zod";
import { DeviceConfig } from "./config.js";
import { DeviceId, FirmwareVersion, Printable, Timestamp } from "./parts/field.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

const hint = (description: string) =>
  Printable.optional()
    .catch(undefined)
    .meta({ description: `${description} An invalid value is dropped.` });

/** Optional facts that field firmware reports about itself (§1). The gateway stores them. */
export const DeviceHints = z.object({
  targetHardware: hint("The hardware that releases are matched on. Default: hardwareId."),
  hardwarePlatform: hint("Chip family."),
  hardwareModel: hint("Board model."),
  boardProfile: hint("Pin-out or build profile."),
  hardwareFingerprint: hint(
    "Identifies the chip. Stored as a keyed hash only. `unknown` counts as absent.",
  ),
  capabilities: z
    .record(z.string().min(1).max(64), z.boolean())
    .refine((capabilities) => Object.keys(capabilities).length <= 64)
    .optional()
    .catch(undefined)
    .meta({
      description: "What the firmware can do, up to 64 flags. An invalid value is dropped.",
    }),
});
export type DeviceHints = z.output<typeof DeviceHints>;

export const RegisterRequest = z.object({
  deviceId: DeviceId,
  hardwareId: Printable.meta({
    description: "Identifies the board or chip. Many devices can have the same value.",
    examples: ["esp32:devkit-v1"],
  }),
  firmwareVersion: FirmwareVersion,
  claimCode: z
    .string()
    .max(256)
    .optional()
    .meta({
      description:
        "The code that the owner will claim the device with. Required from firmware 0.1.4. Case, hyphens and spaces are ignored.",
      examples: ["ABCD-EFGH"],
    }),
  deviceSecret: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "Proves the identity of a device that registers again." }),
  ...DeviceHints.shape,
});
export type RegisterRequest = z.output<typeof RegisterRequest>;

export const LoginRequest = z.object({
  deviceId: DeviceId,
  deviceSecret: z.string().min(1).max(256),
  firmwareVersion: FirmwareVersion.optional().catch(undefined),
  ...DeviceHints.shape,
});
export type LoginRequest = z.output<typeof LoginRequest>;

const tokenFields = {
  deviceId: DeviceId,
  token: z.string().meta({ description: "Device JWT, for `Authorization: Bearer`." }),
  tokenType: z.literal("Bearer"),
  expiresIn: z.int().meta({ description: "Seconds until the token expires." }),
  expiresAt: Timestamp,
  configVersion: z.string(),
  config: DeviceConfig,
};

export const LoginAnswer = z.object({
  ...tokenFields,
  deviceSecret: z.string().optional().meta({
    description:
      "Present if the secret was rotated. The former secret stays valid until this one is used.",
  }),
});
export type LoginAnswer = z.output<typeof LoginAnswer>;

export const RegisterAnswer = z.object({
  ...tokenFields,
  deviceSecret: z.string().meta({
    description:
      "The secret for later logins: 256 random bits in base64url. It is returned only here.",
  }),
});
export type RegisterAnswer = z.output<typeof RegisterAnswer>;

export const deviceRoutes = {
  registerDevice: {
    method: "POST",
    scope: "api",
    path: "/device/register",
    summary: "Registers a device after its Wi-Fi is set up, or again after a factory reset.",
    auth: [],
    throttle: "auth",
    request: { kind: "json", schema: RegisterRequest, limit: "bodyBytes" },
    responses: [
      { status: 201, kind: "json", description: "Registered.", schema: RegisterAnswer },
      {
        status: 200,
        kind: "json",
        description: "Registered again, with a new secret. Owner and history stay.",
        schema: RegisterAnswer,
      },
    ],
    errors: [
      ...jsonBodyErrors,
      "device_not_admitted",
      "device_already_registered",
      "too_many_attempts",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
  loginDevice: {
    method: "POST",
    scope: "api",
    path: "/device/login",
    summary: "Issues a new token to a registered device.",
    auth: [],
    throttle: "auth",
    request: { kind: "json", schema: LoginRequest, limit: "bodyBytes" },
    responses: [{ status: 200, kind: "json", description: "Logged in.", schema: LoginAnswer }],
    errors: [...jsonBodyErrors, "invalid_credentials", "too_many_requests", ...alwaysErrors],
  },
} as const satisfies Record<string, Route>;
