import type { GatewayContext } from "../../context.js";
import type { bulkRoutes } from "../../contract/bulk.js";
import { changeDevices } from "../../operator/change-devices.js";
import type { HandlersOf } from "../call.js";

/** Creates the handlers of the operators' bulk routes. */
export const createBulkHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof bulkRoutes> => ({
  changeDevices: async ({ caller: operator, body, origin }) =>
    (await changeDevices(context, { ...body, operator, origin })).map((verdicts) => ({
      status: 200,
      body: { verdicts },
    })),
});
