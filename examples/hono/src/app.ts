import { type Gateway, toFetchHandler } from "@device-gateway/core";
import { Hono } from "hono";

/** A Hono app with pages of its own, and the gateway below /iot. */
export function createApp(gateway: Gateway): Hono {
  const devices = toFetchHandler(gateway, { mountPath: "/iot" });
  const app = new Hono();
  app.get("/", (context) => context.text("The shop."));
  app.all("/iot/*", (context) => devices(context.req.raw));
  return app;
}
