import { exportAuditTrail, readAuditTrail } from "../../audit/read-audit-trail.js";
import type { GatewayContext } from "../../context.js";
import type { operatorRoutes } from "../../contract/operator.js";
import { inspectDevice } from "../../operator/inspect-device.js";
import { listAllDevices } from "../../operator/list-all-devices.js";
import { eraseDevice, reinstateDevice, revokeDevice } from "../../operator/operator-actions.js";
import { toTimestamp } from "../../shared/timestamp.js";
import type { HandlersOf } from "../call.js";

/** Creates the handlers of the operator routes. */
export const createOperatorHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof operatorRoutes> => ({
  listAllDevices: async ({ query }) =>
    (await listAllDevices(context, query)).map((page) => ({ status: 200, body: page })),
  inspectDevice: async ({ params: { deviceId } }) =>
    (await inspectDevice(context, deviceId)).map((device) => ({ status: 200, body: { device } })),
  revokeDevice: async ({ caller: operator, params: { deviceId }, origin }) =>
    (await revokeDevice(context, { deviceId, operator, origin })).map((since) => ({
      status: 200,
      body: { deviceId, revokedAt: toTimestamp(since) },
    })),
  reinstateDevice: async ({ caller: operator, params: { deviceId }, origin }) =>
    (await reinstateDevice(context, { deviceId, operator, origin })).map(() => ({
      status: 200,
      body: { deviceId },
    })),
  eraseDevice: async ({ caller: operator, params: { deviceId }, query, origin }) => {
    const action = { deviceId, operator, origin, block: query.block === "true" };
    return (await eraseDevice(context, action)).map(() => ({ status: 204 }));
  },
  readAuditTrail: async ({ query }) => {
    if (query.format === "json") {
      return (await readAuditTrail(context, query)).map((page) => ({ status: 200, body: page }));
    }
    return exportAuditTrail(context, query).map((stream) => ({
      status: 200,
      stream,
      headers: { "content-type": "application/x-ndjson" },
    }));
  },
});
