import { z } from "zod";
import { DeviceId, Timestamp } from "./parts/field.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

/** An empty value counts as missing (§3). */
const Proof = z
  .string()
  .optional()
  .transform((text) => text || undefined);

export const ClaimRequest = z
  .object({
    deviceId: DeviceId,
    claimCode: Proof.meta({
      description: "The code on the device's label. Case, hyphens and spaces are ignored.",
      examples: ["ABCD-EFGH"],
    }),
    deviceSecret: Proof.meta({
      description: "Replaces the code for a legacy device, which registered without one.",
    }),
  })
  .superRefine(({ claimCode, deviceSecret }, context) => {
    if (claimCode !== undefined || deviceSecret !== undefined) return;
    context.addIssue({ code: "custom", path: ["claimCode"], message: "Send the claim code." });
  })
  // zod drops `examples` from the input of a schema that transforms.
  .meta({ example: { deviceId: "gw-a4c138000001", claimCode: "ABCD-EFGH" } });
export type ClaimRequest = z.output<typeof ClaimRequest>;

export const ClaimAnswer = z.object({
  deviceId: DeviceId,
  status: z.enum(["claimed", "already_owned"]),
  claimedAt: Timestamp,
});
export type ClaimAnswer = z.output<typeof ClaimAnswer>;

export const claimRoutes = {
  claimDevice: {
    method: "POST",
    scope: "api",
    path: "/user/devices/claim",
    summary: "Claims a registered device with its claim code.",
    auth: ["customer"],
    throttle: "dashboard",
    request: { kind: "json", schema: ClaimRequest, limit: "bodyBytes" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "Claimed, or already owned by the caller.",
        schema: ClaimAnswer,
      },
    ],
    errors: [
      ...jsonBodyErrors,
      "unauthorized",
      "email_not_verified",
      "too_many_attempts",
      "claim_code_required",
      "device_secret_required",
      "invalid_claim",
      "already_claimed",
      "refused",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
  releaseDevice: {
    method: "DELETE",
    scope: "api",
    path: "/user/devices/:deviceId/claim",
    summary: "Releases a device that the caller owns. It can then be claimed again with its code.",
    auth: ["customer"],
    throttle: "dashboard",
    params: z.object({ deviceId: DeviceId }),
    request: { kind: "none" },
    responses: [{ status: 204, kind: "empty", description: "Released." }],
    errors: [
      "invalid_request",
      "unauthorized",
      "device_not_found",
      "refused",
      "too_many_requests",
      ...alwaysErrors,
    ],
  },
} as const satisfies Record<string, Route>;
