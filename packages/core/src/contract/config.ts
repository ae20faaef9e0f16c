import { z } from "zod";
import { alwaysErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** The settings of every gateway (§5). An embedder's schema can add others. */
export const BaseSettings = z.object({
  telemetryIntervalSeconds: z
    .int()
    .min(10)
    .max(3600)
    .default(60)
    .meta({ description: "Seconds between two telemetry records." }),
  otaEnabled: z
    .boolean()
    .default(true)
    .meta({ description: "Whether the device is offered firmware." }),
});

/** The effective configuration of a device, with its version. */
export const DeviceConfig = z.looseObject({
  ...BaseSettings.shape,
  otaUpdateRequestId: z.string().optional().meta({
    description:
      'Present while an "update now" request of the owner waits. Ask for firmware, then answer with this id.',
  }),
  commandsWaiting: z.boolean().optional().meta({
    description:
      "True if a command waits for the device: fetch it. Otherwise absent. It does not change configVersion, but it changes the ETag.",
  }),
  configVersion: z.string().meta({
    description:
      "Opaque. Changes whenever the configuration changes, and only then. Also the ETag, unless a command waits.",
  }),
});
export type DeviceConfig = z.output<typeof DeviceConfig>;

export const configRoutes = {
  readConfig: {
    method: "GET",
    scope: "api",
    path: "/device/config",
    summary: "Returns the device's configuration.",
    auth: ["device"],
    headers: z.object({
      "if-none-match": z
        .string()
        .optional()
        .meta({ description: "The ETag of the configuration that the device has." }),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The configuration.",
        schema: DeviceConfig,
        headers: {
          ETag: "The configVersion, in quotes. It has a suffix while a command waits for the device.",
        },
      },
      { status: 304, kind: "empty", description: "The device has the current configuration." },
    ],
    errors: ["unauthorized", ...alwaysErrors],
  },
} as const satisfies Record<string, Route>;
