import { z } from "zod";
import { DeviceConfig } from "./config.js";
import { DeviceId, FirmwareVersion, Printable, Timestamp } from "./field.js";
import { alwaysErrors, jsonBodyErrors } from "./problem.js";
import type { Route } from "./route.js";

const hint = (description: string) =>
  Printable.optional()
    .catch(undefined)
    .meta({ description: `${description} An invalid one is dropped.` });

/** What field firmware tells of itself beside the required fields; stored, never required. */
export const DeviceHints = z.object({
  targetHardware: hint("What releases are matched on. Default: hardwareId."),
  hardwarePlatform: hint("Chip family."),
  hardwareModel: hint("Board model."),
  boardProfile: hint("Pin-out or build profile."),
  hardwareFingerprint: hint("Proof of the same chip; kept as a keyed hash. `unknown` is absent."),
  capabilities: z
    .record(z.string().min(1).max(64), z.boolean())
    .refine((capabilities) => Object.keys(capabilities).length <= 64)
    .optional()
    .catch(undefined)
    .meta({ description: "What the firmware can do, up to 64 flags. An invalid one is dropped." }),
});
export type DeviceHints = z.output<typeof DeviceHints>;

export const RegisterRequest = z.object({
  deviceId: DeviceId,
  hardwareId: Printable.meta({
    description: "Board or chip identity; the same for many devices.",
    examples: ["esp32:devkit-v1"],
  }),
  firmwareVersion: FirmwareVersion,
  claimCode: z
    .string()
    .max(256)
    .optional()
    .meta({
      description:
        "Code for the later owner claim. Required from firmware 0.1.4 on. Case, hyphens and spaces don't count.",
      examples: ["ABCD-EFGH"],
    }),
  deviceSecret: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "Of a device that registers again: proves that it is the same." }),
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
  expiresIn: z.int().meta({ description: "Seconds from now." }),
  expiresAt: Timestamp,
  configVersion: z.string(),
  config: DeviceConfig,
};

export const LoginAnswer = z.object({
  ...tokenFields,
  deviceSecret: z.string().optional().meta({
    description: "A new secret, when it was time for one. The former is good until this is used.",
  }),
});
export type LoginAnswer = z.output<typeof LoginAnswer>;

export const RegisterAnswer = z.object({
  ...tokenFields,
  deviceSecret: z.string().meta({
    description: "The refresh material: 256 random bits, base64url. Shown here and never again.",
  }),
});
export type RegisterAnswer = z.output<typeof RegisterAnswer>;

export const deviceRoutes = {
  registerDevice: {
    method: "POST",
    scope: "api",
    path: "/device/register",
    summary: "A gateway registers after its Wi-Fi is configured, or again after a factory reset.",
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
    summary: "A registered gateway obtains a fresh token.",
    auth: [],
    throttle: "auth",
    request: { kind: "json", schema: LoginRequest, limit: "bodyBytes" },
    responses: [{ status: 200, kind: "json", description: "Logged in.", schema: LoginAnswer }],
    errors: [...jsonBodyErrors, "invalid_credentials", "too_many_requests", ...alwaysErrors],
  },
} as const satisfies Record<string, Route>;
