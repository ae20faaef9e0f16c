/** The handler of a route of Next, `app/iot/[...path]/route.js`. */
import { forwardedForAddress, toFetchHandler } from "@device-gateway/core";
import { startTrialGateway } from "./trial-gateway.js";

const started = startTrialGateway("http://next.test/iot").then((gateway) =>
  toFetchHandler(gateway, { mountPath: "/iot", clientAddress: forwardedForAddress(1) }),
);

export const handler = async (request: Request): Promise<Response> => (await started)(request);
