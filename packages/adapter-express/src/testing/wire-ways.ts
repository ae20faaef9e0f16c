import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Gateway } from "@device-gateway/core";
import { toNodeListener } from "@device-gateway/core/node";
import { serveInProcess, type WireServer, type WireSetup } from "@device-gateway/testing";
import express from "express";
// @ts-expect-error Express 4 comes without types of its own; it is used as Express 5 is.
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

/** Every transport that the wire suite runs over. */
export const ways = {
  "in process": serveInProcess,
  "node listener": (gateway) => listen(toNodeListener(gateway)),
  "Express 5": inExpress(() => express()),
  "Express 4": inExpress(express4 as () => express.Express),
} as const satisfies Record<string, WireSetup["serve"]>;

/**
 * The transport that reaches the databases. The stores cannot tell transports apart, so one is enough; the others run over
 * the memory store.
 */
export const databaseWay = ways["Express 5"];
