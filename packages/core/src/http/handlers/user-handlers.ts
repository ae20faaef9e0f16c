import { claimDevice } from "../../claim/claim-device.js";
import { releaseDevice } from "../../claim/release-device.js";
import type { GatewayContext } from "../../context.js";
import type { claimRoutes } from "../../contract/claim.js";
import type { dashboardRoutes } from "../../contract/dashboard.js";
import type { historyRoutes } from "../../contract/history.js";
import type { refusalRoutes } from "../../contract/refusal.js";
import { changeDeviceConfig, readDeviceConfig } from "../../dashboard/device-config.js";
import { listDevices } from "../../dashboard/list-devices.js";
import { openReEnrolment } from "../../dashboard/open-re-enrolment.js";
import { readConfigHistory } from "../../dashboard/read-config-history.js";
import { readDevice } from "../../dashboard/read-device.js";
import { renameDevice } from "../../dashboard/rename-device.js";
import { exportTelemetry } from "../../history/export-telemetry.js";
import { listRecords } from "../../history/list-records.js";
import { liveTelemetry } from "../../history/live-telemetry.js";
import { readHistory } from "../../history/read-history.js";
import { readRefusals } from "../../refusal/read-refusals.js";
import type { JsonObject } from "../../shared/json.js";
import { toTimestamp } from "../../shared/timestamp.js";
import type { Call, HandlersOf } from "../call.js";
import { toAccepts } from "../etag.js";

type Names =
  | keyof typeof claimRoutes
  | keyof typeof dashboardRoutes
  | keyof typeof historyRoutes
  | keyof typeof refusalRoutes;

/** PUT and PATCH do the same. */
type RenameCall = Call<(typeof dashboardRoutes)["renameDevice" | "patchDevice"]>;

/** Creates the handlers of the routes of customers and the dashboard. */
export function createUserHandlers(context: GatewayContext): HandlersOf<Names> {
  const rename = async (call: RenameCall) => {
    const { caller, params, body, origin } = call;
    const change = { deviceId: params.deviceId, name: body.name };
    const result = await renameDevice(context, caller, change, origin);
    return result.map((device) => ({ status: 200 as const, body: { device } }));
  };
  return {
    claimDevice: async ({ caller, body, origin }) =>
      (await claimDevice(context, caller, body, origin)).map((answer) => ({
        status: 200,
        body: answer,
      })),
    releaseDevice: async ({ caller, params, origin }) =>
      (await releaseDevice(context, caller, params.deviceId, origin)).map(() => ({ status: 204 })),
    listDevices: async ({ caller, query }) =>
      (await listDevices(context, caller, query)).map((page) => ({ status: 200, body: page })),
    readDevice: async ({ caller, params }) =>
      (await readDevice(context, caller, params.deviceId)).map((detail) => ({
        status: 200,
        body: detail,
      })),
    renameDevice: rename,
    patchDevice: rename,
    readTelemetryHistory: async ({ caller, params, query, turn }) =>
      (await readHistory(context, caller, params.deviceId, query, turn)).map(
        ({ answer, headers }) => ({ status: 200, body: answer, headers }),
      ),
    listTelemetryRecords: async ({ caller, params, query, turn }) =>
      (await listRecords(context, caller, params.deviceId, query, turn)).map(
        ({ page, headers }) => ({ status: 200, body: page, headers }),
      ),
    followTelemetry: async ({ caller, params: { deviceId }, headers, turn }) => {
      const lastEventId = headers["last-event-id"];
      const result = await liveTelemetry(context, caller, { deviceId, lastEventId }, turn);
      return result.map((stream) => ({
        status: 200,
        stream,
        // `x-accel-buffering` stops nginx from collecting events before it forwards them, and `no-transform` stops
        // middleware that compresses responses, such as `compression` of Express.
        headers: {
          "content-type": "text/event-stream",
          "cache-control": "no-store, no-transform",
          "x-accel-buffering": "no",
        },
      }));
    },
    exportTelemetry: async ({ caller, params, query, turn }) =>
      (await exportTelemetry(context, caller, params.deviceId, query, turn)).map(
        ({ stream, type, fileName, headers }) => ({
          status: 200,
          stream,
          headers: {
            ...headers,
            "content-type": type,
            "content-disposition": `attachment; filename="${fileName}"`,
          },
        }),
      ),
    readRefusals: async ({ caller, params }) =>
      (await readRefusals(context, caller, params.deviceId)).map((refusals) => ({
        status: 200,
        body: { refusals },
      })),
    readDeviceConfig: async ({ caller, params }) =>
      (await readDeviceConfig(context, caller, params.deviceId)).map((answer) => ({
        status: 200,
        body: answer,
        headers: { etag: `"${answer.configVersion}"` },
      })),
    readConfigHistory: async ({ caller, params, query }) =>
      (await readConfigHistory(context, caller, params.deviceId, query)).map((page) => ({
        status: 200,
        body: page,
      })),
    changeDeviceConfig: async ({ caller, params, body, headers, origin, deadline }) => {
      const accepts = toAccepts(headers["if-match"]);
      // The body was parsed from JSON, so it contains only JSON values.
      const patch = body as JsonObject;
      const { check: checkDeadline } = deadline;
      const change = { deviceId: params.deviceId, patch, accepts, checkDeadline };
      return (await changeDeviceConfig(context, caller, change, origin)).map((answer) => ({
        status: 200,
        body: answer,
        headers: { etag: `"${answer.configVersion}"` },
      }));
    },
    openReEnrolment: async ({ caller, params: { deviceId }, origin }) =>
      (await openReEnrolment(context, caller, deviceId, origin)).map((until) => ({
        status: 200,
        body: { deviceId, expiresAt: toTimestamp(until) },
      })),
  };
}
