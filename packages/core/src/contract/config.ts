import { z } from "zod";
import { alwaysErrors } from "./problem.js";
import type { Route } from "./route.js";

/** The settings that every gateway has (contract §5). An embedder's schema may add others. */
export const BaseSettings = z.object({
  telemetryIntervalSeconds: z
    .int()
    .min(10)
    .max(3600)
    .default(60)
    .meta({ description: "Seconds between telemetry records." }),
  otaEnabled: z
    .boolean()
    .default(true)
    .meta({ description: "Whether the gateway is offered firmware." }),
});

/** The effective configuration, at the top level, with its version. */
export const DeviceConfig = z.looseObject({
  ...BaseSettings.shape,
  otaUpdateRequestId: z.string().optional().meta({
    description:
      'While an owner\'s "update now" waits: ask for firmware, then answer with this id.',
  }),
  configVersion: z.string().meta({
    description: "Changes exactly when the configuration does. Opaque; also the ETag.",
  }),
});
export type DeviceConfig = z.output<typeof DeviceConfig>;

export const configRoutes = {
  readConfig: {
    method: "GET",
    scope: "api",
    path: "/device/config",
    summary: "A gateway reads its configuration.",
    auth: ["device"],
    headers: z.object({
      "if-none-match": z
        .string()
        .optional()
        .meta({ description: "The ETag of the configuration that the gateway has." }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The configuration.",
        schema: DeviceConfig,
        headers: { ETag: "The configVersion, in quotes." },
      },
      { status: 304, kind: "empty", description: "The gateway has the current configuration." },
    ],
    errors: ["unauthorized", ...alwaysErrors],
  },
} as const satisfies Record<string, Route>;
