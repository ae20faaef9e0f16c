import { type Gateway, toFetchHandler } from "@device-gateway/core";
import { type Context, Hono } from "hono";
import type { GetConnInfo } from "hono/conninfo";

/**
 * Creates a Hono app with its own pages and a gateway under /iot. Pass the `getConnInfo` of your
 * runtime, such as that of `@hono/node-server/conninfo` or `hono/bun`. Also start the gateway's
 * maintenance: on Node with `startMaintenance(gateway)` of `@device-gateway/core/node`, in a worker
 * with `gateway.maintain()` in a scheduled handler. Without it, no expired data is deleted.
 */
export function createApp(gateway: Gateway, getConnInfo: GetConnInfo): Hono {
  const devices = toFetchHandler(gateway, {
    mountPath: "/iot",
    clientAddress: (_, context: Context) => getConnInfo(context).remote.address ?? null,
  });
  const app = new Hono();
  app.get("/", (context) => context.text("The shop."));
  app.all("/iot/*", (context) => devices(context.req.raw, context));
  return app;
}
