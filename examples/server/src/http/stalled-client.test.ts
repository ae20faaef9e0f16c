import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { silentLogger } from "@device-gateway/core";
import type { RequestHandler } from "express";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "./create-app.js";

/** More than the buffers of a connection hold. */
const large = Buffer.alloc(50_000_000);

async function listenWith(handler: RequestHandler) {
  const options = { trustedProxies: 0, handlers: [handler], logger: silentLogger, stallMs: 100 };
  const server = createServer(createApp(options)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

test("§9 a client that does not read a large response is disconnected", async () => {
  const { server, port } = await listenWith((_request, response) => void response.send(large));
  const connected = once(server, "connection");
  const client = connect(port, "127.0.0.1").pause();
  client.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [connection] = await connected;
  await once(connection, "close");
  expect(client.bytesRead).toBeLessThan(large.length);
});

test("§9 a client that waits for a slow handler gets its response", async () => {
  const { server, port } = await listenWith((_request, response) => {
    response.once("timeout", () => response.send("done"));
  });
  expect(server.timeout).toBe(0);
  const response = await fetch(`http://127.0.0.1:${port}`);
  expect(await response.text()).toBe("done");
});
