import { z } from "zod";
import { DeviceId, type Operation, routes, Timestamp } from "../contract/index.js";
import { alwaysErrors, jsonBodyErrors } from "../contract/parts/problem.js";

const { changeDeviceConfig } = routes;
const params = z.object({ deviceId: DeviceId });
const errors = [
  ...jsonBodyErrors,
  "unauthorized",
  "forbidden",
  "device_not_found",
  ...alwaysErrors,
] as const;

/** Operations that exist in code only, because HTTP clients do not need them or must not have them. */
export const codeOperations = {
  assignDevice: {
    summary: "Makes a customer the owner of a device without its code.",
    auth: ["operator"],
    params,
    request: {
      kind: "json",
      schema: z.object({ customerId: z.string().min(1) }),
      limit: "bodyBytes",
    },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "Assigned, or already owned by the customer.",
        schema: z.object({
          deviceId: DeviceId,
          status: z.enum(["assigned", "already_owned"]),
          claimedAt: Timestamp,
        }),
      },
    ],
    errors: [...errors, "already_claimed", "device_revoked", "refused"],
  },
  configureDevice: {
    summary:
      "Changes settings of any device, with a merge patch (RFC 7396) over the device's own layer.",
    auth: ["operator"],
    params,
    headers: changeDeviceConfig.headers,
    request: changeDeviceConfig.request,
    responses: changeDeviceConfig.responses,
    errors: [...errors, "precondition_failed"],
  },
} as const satisfies Record<string, Operation>;

export type CodeOperations = typeof codeOperations;
