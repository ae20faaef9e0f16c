import { err, ok } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { serviceRoutes } from "../../contract/service.js";
import type { Handlers, HandlersOf } from "../call.js";
import { matchesEtag } from "../etag.js";
import { createAlertHandlers } from "./alert-handlers.js";
import { createBulkHandlers } from "./bulk-handlers.js";
import { createCommandHandlers } from "./command-handlers.js";
import { createDeviceHandlers } from "./device-handlers.js";
import { createFirmwareHandlers } from "./firmware-handlers.js";
import { createMetadataHandlers } from "./metadata-handlers.js";
import { createMetricHandlers } from "./metric-handlers.js";
import { createOpenApiDocument, type OpenApiDocument } from "./openapi-document.js";
import { createOperatorHandlers } from "./operator-handlers.js";
import { createUpdateHandlers } from "./update-handlers.js";
import { createUserHandlers } from "./user-handlers.js";
import { createWebhookHandlers } from "./webhook-handlers.js";

export interface HandlerOptions {
  readonly basePath: string;
  readonly origin: string | undefined;
}

function createServiceHandlers(
  { store, lifecycle }: GatewayContext,
  options: HandlerOptions,
): HandlersOf<keyof typeof serviceRoutes> {
  let openApi: OpenApiDocument | undefined;
  const health = { status: 200, body: { status: "ok" } } as const;
  return {
    readOpenApi: async ({ headers: { "if-none-match": known } }) => {
      // Created on the first request. Most processes never get one, and it takes longer than the rest of the start.
      openApi ??= createOpenApiDocument(options);
      const { body, etag } = openApi;
      const headers = { etag, "cache-control": "public, no-cache" };
      return matchesEtag(known, etag)
        ? ok({ status: 304, headers })
        : ok({ status: 200, body, headers });
    },
    readLiveness: async () => ok(health),
    readReadiness: async () => {
      if (lifecycle.retired) return err({ code: "unavailable" });
      await store.ping();
      return ok(health);
    },
  };
}

/** Creates the handlers of all routes. A route without a handler does not compile. */
export const createHandlers = (context: GatewayContext, options: HandlerOptions): Handlers => ({
  ...createDeviceHandlers(context),
  ...createUserHandlers(context),
  ...createAlertHandlers(context),
  ...createWebhookHandlers(context),
  ...createOperatorHandlers(context),
  ...createBulkHandlers(context),
  ...createMetadataHandlers(context),
  ...createMetricHandlers(context),
  ...createFirmwareHandlers(context),
  ...createUpdateHandlers(context),
  ...createCommandHandlers(context),
  ...createServiceHandlers(context, options),
});
