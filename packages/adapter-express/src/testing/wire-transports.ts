import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Gateway } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import { serveInProcess, type WireServer, type WireSetup } from "@device-gateway/testing";
import express from "express";
// @ts-expect-error Express 4 has no types of its own. The test uses it like Express 5.
import express4 from "express-4";
import { toExpressHandler } from "../express-handler.js";

async function listen(listener: RequestListener, mountPath = ""): Promise<WireServer> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${mountPath}${path}`, init),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const inExpress = (makeApp: () => express.Express) => (gateway: Gateway) =>
  listen(makeApp().use("/iot", toExpressHandler(gateway)), "/iot");

/** Every transport with a server that the wire suite runs over. */
export const transports = {
  "node listener": (gateway) => listen(toNodeListener(gateway)),
  "Express 5": inExpress(() => express()),
  "Express 4": inExpress(express4 as () => express.Express),
} as const satisfies Record<string, WireSetup["serve"]>;

/**
 * The transport for the wire suite over databases. Stores cannot tell transports apart, so the cheapest is enough. The
 * others run over the memory store.
 */
export const databaseTransport = serveInProcess;
