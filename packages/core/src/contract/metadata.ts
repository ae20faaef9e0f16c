import { z } from "zod";
import { DeviceId } from "./parts/field.js";
import { alwaysErrors, jsonBodyErrors } from "./parts/problem.js";
import type { Route } from "./parts/route.js";

const MetadataAnswer = z.object({
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: "null if nothing was set." }),
  metadataVersion: z
    .string()
    .meta({ description: "Opaque. Changes whenever the metadata changes, and only then." }),
});

const common = {
  scope: "api",
  path: "/operator/devices/:deviceId/metadata",
  auth: ["operator"],
  throttle: "dashboard",
  params: z.object({ deviceId: DeviceId }),
} as const;

const answer = {
  status: 200,
  kind: "json",
  schema: MetadataAnswer,
  headers: { ETag: "The metadataVersion, in quotes. Send it as If-Match." },
} as const;

const errors = [
  "unauthorized",
  "forbidden",
  "device_not_found",
  "too_many_requests",
  ...alwaysErrors,
] as const;

export const metadataRoutes = {
  readDeviceMetadata: {
    ...common,
    method: "GET",
    summary: "Returns the facts that the embedder keeps about a device.",
    request: { kind: "none" },
    responses: [{ ...answer, description: "The metadata." }],
    errors: ["invalid_request", ...errors],
  },
  changeDeviceMetadata: {
    ...common,
    method: "PATCH",
    summary:
      "Changes the facts that the embedder keeps about a device, with a merge patch (RFC 7396).",
    headers: z.object({
      "if-match": z.string().optional().meta({
        description:
          "The ETag of the metadata to change. If it is not the current one, the response is 412.",
      }),
    }),
    request: {
      kind: "json",
      schema: z.record(z.string(), z.unknown()),
      limit: "bodyBytes",
    },
    responses: [{ ...answer, description: "The new metadata." }],
    errors: [...jsonBodyErrors, ...errors, "cross_site", "precondition_failed"],
  },
} as const satisfies Record<string, Route>;
