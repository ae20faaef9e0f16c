import { err, ok } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { routes, toOpenApi } from "../contract/index.js";
import type { serviceRoutes } from "../contract/service.js";
import type { Handlers, HandlersOf } from "./call.js";
import { createDeviceHandlers } from "./device-handlers.js";
import { createFirmwareHandlers } from "./firmware-handlers.js";
import { createOperatorHandlers } from "./operator-handlers.js";
import { createUpdateHandlers } from "./update-handlers.js";
import { createUserHandlers } from "./user-handlers.js";

export interface HandlerOptions {
  readonly basePath: string;
  readonly origin: string | undefined;
}

function createServiceHandlers(
  { store, life }: GatewayContext,
  options: HandlerOptions,
): HandlersOf<keyof typeof serviceRoutes> {
  let openApi: ReturnType<typeof toOpenApi> | undefined;
  const health = { status: 200, body: { status: "ok" } } as const;
  return {
    readOpenApi: async () => {
      // Made when it is first asked for: most processes never are, and it takes longer than all else of a start.
      openApi ??= toOpenApi(routes, options);
      return ok({ status: 200, body: openApi });
    },
    readLiveness: async () => ok(health),
    readReadiness: async () => {
      if (life.retired) return err({ code: "unavailable" });
      await store.ping();
      return ok(health);
    },
  };
}

/** Hands each route to its use case. A route without a handler does not compile. */
export const createHandlers = (context: GatewayContext, options: HandlerOptions): Handlers => ({
  ...createDeviceHandlers(context),
  ...createUserHandlers(context),
  ...createOperatorHandlers(context),
  ...createFirmwareHandlers(context),
  ...createUpdateHandlers(context),
  ...createServiceHandlers(context, options),
});
