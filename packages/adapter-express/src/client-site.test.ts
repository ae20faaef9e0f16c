import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createGateway, type Gateway, generateSecrets } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { toExpressHandler } from "./express-handler.js";

const get = (client: string) =>
  `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\n\r\n`;

/**
 * Sends a request of each client over one connection, as a proxy does. Returns how many of them were handled before the
 * first one gave way to others.
 */
async function countAtOnce(trustProxy: boolean | number, clients: readonly string[]) {
  const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
  let handled = 0;
  let atOnce = 0;
  const handle: Gateway["handle"] = async () => {
    handled += 1;
    if (handled === 1)
      queueMicrotask(() => {
        atOnce = handled;
      });
    return { status: 200, headers: {}, body: "" };
  };
  const app = express().set("trust proxy", trustProxy);
  const server = createServer(app.use(toExpressHandler({ ...gateway, handle })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.write(clients.map(get).join(""));
  await expect.poll(() => handled).toBe(clients.length);
  return atOnce;
}

test("clients behind a trusted proxy take turns with each other, and those of one site share a turn", async () => {
  expect(await countAtOnce(1, ["203.0.113.7", "203.0.113.8"])).toBe(2);
  expect(await countAtOnce(1, ["203.0.113.9", "203.0.113.9"])).toBe(1);
  expect(await countAtOnce(1, ["2001:db8:1:1::1", "2001:db8:1:2::1"])).toBe(1);
});

test("clients behind a proxy that the app does not trust are one site", async () => {
  expect(await countAtOnce(false, ["203.0.113.17", "203.0.113.18"])).toBe(1);
});
