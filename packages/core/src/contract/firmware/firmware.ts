import { z } from "zod";
import { datedHeaders } from "../parts/dated-headers.js";
import { listQuery, NextCursor } from "../parts/list.js";
import { alwaysErrors, jsonBodyErrors } from "../parts/problem.js";
import type { Route } from "../parts/route.js";
import { OtaState } from "./firmware-offer.js";
import {
  DashboardRelease,
  OperatorRelease,
  ReleaseChange,
  ReleaseId,
  ReleaseRequest,
  ReleaseStatus,
  RolloutChannel,
} from "./release.js";

const releaseParams = z.object({ releaseId: ReleaseId });
const releaseFilter = {
  targetHardware: z.string().max(128).optional(),
  rolloutChannel: RolloutChannel.optional(),
};
const listErrors = [
  "invalid_request",
  "unauthorized",
  "too_many_requests",
  ...alwaysErrors,
] as const;
const operatorErrors = ["unauthorized", "forbidden", "too_many_requests", ...alwaysErrors] as const;
const ReleaseAnswer = z.object({ release: OperatorRelease });

const imageHeaders = {
  "content-length": "Number of bytes in the body.",
  "accept-ranges": "`bytes`.",
  etag: "SHA-256 of the image, a strong validator.",
  "x-firmware-version": "Version of the release.",
  "x-firmware-target":
    "Target hardware of the release. Characters outside ASCII are percent-encoded.",
  "x-firmware-sha256": "SHA-256 of the whole image.",
};

export const firmwareRoutes = {
  createRelease: {
    method: "POST",
    scope: "api",
    path: "/operator/firmware/releases",
    summary: "Creates a release as a draft, after its signature was verified.",
    auth: ["operator"],
    throttle: "dashboard",
    request: { kind: "json", schema: ReleaseRequest, limit: "bodyBytes" },
    responses: [
      { status: 201, kind: "json", description: "Created.", schema: ReleaseAnswer },
      {
        status: 200,
        kind: "json",
        description: "The release exists with this image. It is returned unchanged.",
        schema: ReleaseAnswer,
      },
    ],
    errors: [
      ...jsonBodyErrors,
      "unknown_signing_key",
      "invalid_signature",
      "release_exists",
      "cross_site",
      ...operatorErrors,
    ],
  },
  uploadReleaseImage: {
    method: "PUT",
    scope: "api",
    path: "/operator/firmware/releases/:releaseId/image",
    summary: "Uploads the raw bytes of a release's image. Safe to repeat.",
    auth: ["operator"],
    throttle: "dashboard",
    params: releaseParams,
    request: { kind: "bytes", limit: "firmwareImageBytes" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The image is durable and is the one that the release was signed for.",
        schema: ReleaseAnswer,
      },
    ],
    errors: [
      "invalid_request",
      "image_mismatch",
      "upload_incomplete",
      "release_not_found",
      "release_withdrawn",
      "payload_too_large",
      "unsupported_media_type",
      "cross_site",
      ...operatorErrors,
    ],
  },
  changeRelease: {
    method: "PATCH",
    scope: "api",
    path: "/operator/firmware/releases/:releaseId",
    summary: "Activates, pauses or withdraws a release, or changes its rollout share or channel.",
    auth: ["operator"],
    throttle: "dashboard",
    params: releaseParams,
    request: { kind: "json", schema: ReleaseChange, limit: "bodyBytes" },
    responses: [
      { status: 200, kind: "json", description: "The changed release.", schema: ReleaseAnswer },
    ],
    errors: [
      ...jsonBodyErrors,
      "release_not_found",
      "illegal_transition",
      "image_missing",
      "refused",
      "release_withdrawn",
      "cross_site",
      ...operatorErrors,
    ],
  },
  listReleases: {
    method: "GET",
    scope: "api",
    path: "/operator/firmware/releases",
    summary: "Lists all releases, newest first.",
    auth: ["operator"],
    throttle: "dashboard",
    query: z.object({
      ...listQuery(50).shape,
      ...releaseFilter,
      status: ReleaseStatus.optional(),
    }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of releases.",
        schema: z.object({ releases: z.array(OperatorRelease), nextCursor: NextCursor }),
      },
    ],
    errors: [...listErrors, "forbidden"],
  },
  readRelease: {
    method: "GET",
    scope: "api",
    path: "/operator/firmware/releases/:releaseId",
    summary: "Returns a release and the number of its updates in each state.",
    auth: ["operator"],
    throttle: "dashboard",
    params: releaseParams,
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "The release.",
        headers: datedHeaders,
        schema: z.object({
          release: OperatorRelease,
          counts: z
            .partialRecord(OtaState, z.int().min(0))
            .meta({ description: "The number of devices whose update is in each state." }),
        }),
      },
    ],
    errors: [...listErrors, "forbidden", "release_not_found"],
  },
  listDashboardReleases: {
    method: "GET",
    scope: "api",
    path: "/dashboard/firmware/releases",
    summary: "Lists releases, newest first. Users who are not operators get active releases only.",
    auth: ["session"],
    throttle: "dashboard",
    query: z.object({ ...listQuery(10).shape, ...releaseFilter }),
    request: { kind: "none" },
    responses: [
      {
        status: 200,
        kind: "json",
        description: "A page of releases.",
        schema: z.object({ releases: z.array(DashboardRelease), nextCursor: NextCursor }),
      },
    ],
    errors: listErrors,
  },
  downloadFirmware: {
    method: "GET",
    scope: "api",
    path: "/ota/firmware/:releaseId",
    summary: "Returns the image of an active release for the device's hardware, or a range of it.",
    auth: ["device"],
    params: releaseParams,
    headers: z.object({
      range: z.string().optional().meta({
        description:
          "One range of bytes. A header with several ranges, or an invalid one, is ignored.",
      }),
      "if-range": z.string().optional().meta({
        description:
          "The ETag of the part that the device has. If it differs, the whole image is sent.",
      }),
    }),
    request: { kind: "none" },
    responses: [
      { status: 200, kind: "bytes", description: "The whole image.", headers: imageHeaders },
      {
        status: 206,
        kind: "bytes",
        description: "The range.",
        headers: {
          ...imageHeaders,
          "content-range": "First and last byte of the range, and size of the image.",
        },
      },
    ],
    errors: [
      "invalid_request",
      "unauthorized",
      "release_not_found",
      "range_not_satisfiable",
      ...alwaysErrors,
    ],
  },
} as const satisfies Record<string, Route>;
