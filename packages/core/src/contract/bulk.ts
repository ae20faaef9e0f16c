import { z } from "zod";
import { OtaTargetRequest } from "./firmware/firmware-offer.js";
import { DeviceId } from "./parts/field.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** Most devices of one bulk request (§8). */
export const maxBulkDevices = 500;

/** What a bulk request does to each device. */
export const BulkAction = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("revoke") }),
    z.object({ kind: z.literal("reinstate") }),
    z.object({ kind: z.literal("clear_update_blocks") }),
    z.object({ kind: z.literal("set_target"), target: OtaTargetRequest }),
    z.object({
      kind: z.literal("configure"),
      patch: z.record(z.string(), z.unknown()).meta({
        description: "A merge patch (RFC 7396) over each device's own layer.",
        examples: [{ telemetryIntervalSeconds: 60 }],
      }),
    }),
  ])
  .meta({ examples: [{ kind: "set_target", target: { otaChannel: "beta" } }] });
export type BulkAction = z.output<typeof BulkAction>;

const BulkVerdict = z.object({
  deviceId: DeviceId,
  code: z
    .string()
    .meta({ description: "`done`, or the error code of the same action on this device alone." }),
  detail: z.string().optional().meta({ description: "What is wrong. Absent if `code` is `done`." }),
});
export type BulkVerdict = z.output<typeof BulkVerdict>;

export const bulkRoutes = {
  changeDevices: {
    method: "POST",
    scope: "api",
    path: "/operator/bulk",
    summary: "Applies one action to each of at most 500 devices, and returns a verdict for each.",
    auth: ["operator"],
    throttle: "dashboard",
    request: {
      kind: "json",
      // 500 ids do not fit into an ordinary body.
      limit: "telemetryBodyBytes",
      schema: z.object({
        deviceIds: z
          .array(DeviceId)
          .min(1)
          .max(maxBulkDevices)
          .meta({ description: "An id that occurs twice counts once." }),
        action: BulkAction,
      }),
    },
    responses: [
      {
        status: 200,
        kind: "json",
        description:
          "A verdict for each device, in the order of the ids. A failure of one device does not affect the others.",
        schema: z.object({ verdicts: z.array(BulkVerdict) }),
      },
    ],
    errors: [
      ...jsonBodyErrors,
      "unauthorized",
      "forbidden",
      "cross_site",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
} as const satisfies Record<string, Route>;
