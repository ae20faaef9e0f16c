import { assignDevice } from "../claim/assign-device.js";
import type { GatewayContext } from "../context.js";
import { configureAnyDevice } from "../dashboard/device-config.js";
import type { Handler } from "../http/call.js";
import { toAccepts } from "../http/etag.js";
import type { JsonObject } from "../shared/json.js";
import type { CodeOperations } from "./code-operations.js";

type CodeHandlers = { readonly [Name in keyof CodeOperations]: Handler<CodeOperations[Name]> };

/** Creates the handlers of the operations that exist in code only. */
export const createCodeHandlers = (context: GatewayContext): CodeHandlers => ({
  assignDevice: async ({ caller: operator, params: { deviceId }, body: { customerId }, origin }) =>
    (await assignDevice(context, { deviceId, customerId, operator, origin })).map((answer) => ({
      status: 200,
      body: answer,
    })),
  configureDevice: async ({ caller: operator, params, body, headers, origin, deadline }) => {
    const accepts = toAccepts(headers["if-match"]);
    // The body was parsed from JSON, so it contains only JSON values.
    const patch = body as JsonObject;
    const { check: checkDeadline } = deadline;
    const change = { deviceId: params.deviceId, patch, accepts, checkDeadline };
    return (await configureAnyDevice(context, operator, change, origin)).map((answer) => ({
      status: 200,
      body: answer,
      headers: { etag: `"${answer.configVersion}"` },
    }));
  },
});
