import { z } from "zod";
import { DeviceId, Timestamp } from "./parts/field.js";
import { alwaysErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** Why records or whole telemetry requests of a device were refused, and how often. */
export const RefusalEntry = z.object({
  code: z.string().meta({
    description: "The code of a rejected record, or of the error response to a whole request.",
  }),
  message: z.string().meta({ description: "What was wrong the last time, and what to do." }),
  count: z.int().meta({ description: "Refused records and requests since `firstAt`." }),
  firstAt: Timestamp,
  lastAt: Timestamp,
});
export type RefusalEntry = z.output<typeof RefusalEntry>;

export const refusalRoutes = {
  readRefusals: {
    method: "GET",
    scope: "api",
    path: "/dashboard/devices/:deviceId/telemetry/refusals",
    summary: "Returns why telemetry of a device was refused, one entry for each code.",
    auth: ["session"],
    throttle: "dashboard",
    params: z.object({ deviceId: DeviceId }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "At most 20 entries, the latest first.",
        schema: z.object({ refusals: z.array(RefusalEntry) }),
      },
    ],
    errors: [
      "invalid_request",
      "unauthorized",
      "device_not_found",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
} as const satisfies Record<string, Route>;
