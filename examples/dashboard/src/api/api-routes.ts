import type { RouteName, Routes } from "@device-gateway/core/contract";

type RouteLocation<Name extends RouteName> = readonly [
  Routes[Name]["method"],
  Routes[Name]["path"],
];

/**
 * The method and path of each route that the page calls. The page does not import the contract's
 * values, because they need zod. A line that differs from the contract does not compile.
 */
export const apiRoutes = {
  claimDevice: ["POST", "/user/devices/claim"],
  releaseDevice: ["DELETE", "/user/devices/:deviceId/claim"],
  listDevices: ["GET", "/dashboard/devices"],
  readDevice: ["GET", "/dashboard/devices/:deviceId"],
  patchDevice: ["PATCH", "/dashboard/devices/:deviceId"],
  readDeviceConfig: ["GET", "/dashboard/devices/:deviceId/config"],
  changeDeviceConfig: ["PUT", "/dashboard/devices/:deviceId/config"],
  openReEnrolment: ["POST", "/dashboard/devices/:deviceId/re-enrolment"],
  readTelemetryHistory: ["GET", "/dashboard/devices/:deviceId/telemetry/history"],
  readRefusals: ["GET", "/dashboard/devices/:deviceId/telemetry/refusals"],
  readOtaHistory: ["GET", "/dashboard/devices/:deviceId/ota/history"],
  commandUpdate: ["POST", "/dashboard/devices/:deviceId/ota/check"],
  readUpdateCommand: ["GET", "/dashboard/devices/:deviceId/ota/command"],
  listDashboardReleases: ["GET", "/dashboard/firmware/releases"],
  listReleases: ["GET", "/operator/firmware/releases"],
  readRelease: ["GET", "/operator/firmware/releases/:releaseId"],
  createRelease: ["POST", "/operator/firmware/releases"],
  uploadReleaseImage: ["PUT", "/operator/firmware/releases/:releaseId/image"],
  changeRelease: ["PATCH", "/operator/firmware/releases/:releaseId"],
  explainOffer: ["GET", "/operator/firmware/releases/:releaseId/explain/:deviceId"],
  inspectDevice: ["GET", "/operator/devices/:deviceId"],
  setOtaTarget: ["PATCH", "/operator/devices/:deviceId"],
  clearUpdateBlocks: ["DELETE", "/operator/devices/:deviceId/update-blocks"],
  revokeDevice: ["POST", "/operator/devices/:deviceId/revoke"],
  reinstateDevice: ["POST", "/operator/devices/:deviceId/reinstate"],
  eraseDevice: ["DELETE", "/operator/devices/:deviceId"],
  changeDevices: ["POST", "/operator/bulk"],
  readAuditTrail: ["GET", "/operator/audit"],
} as const satisfies { readonly [Name in RouteName]?: RouteLocation<Name> };
export type CalledRoute = keyof typeof apiRoutes;
