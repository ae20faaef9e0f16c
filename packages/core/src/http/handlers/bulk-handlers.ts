import type { GatewayContext } from "../../context.js";
import type { bulkRoutes } from "../../contract/bulk.js";
import { changeDevices } from "../../operator/change-devices.js";
import type { HandlersOf } from "../call.js";

/** Creates the handlers of the operators' bulk routes. */
export const createBulkHandlers = (
  context: GatewayContext,
): HandlersOf<keyof typeof bulkRoutes> => ({
  changeDevices: async ({ caller: operator, body, origin, deadline }) => {
    const request = { ...body, operator, origin, checkDeadline: deadline.check };
    return (await changeDevices(context, request)).map((verdicts) => ({
      status: 200,
      body: { verdicts },
    }));
  },
});
