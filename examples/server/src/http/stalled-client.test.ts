import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { silentLogger } from "@device-gateway/core";
import type { RequestHandler } from "express";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "./create-app.js";

/** More than the buffers of a connection hold. */
const large = Buffer.alloc(50_000_000);

test("§9 a client that does not read a large response is disconnected", async () => {
  const sendLarge: RequestHandler = (_request, response) => void response.send(large);
  const options = { trustedProxies: 0, handlers: [sendLarge], logger: silentLogger, stallMs: 100 };
  const server = createServer(createApp(options)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const connected = once(server, "connection");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  client.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [connection] = await connected;
  await once(connection, "close");
  expect(client.bytesRead).toBeLessThan(large.length);
});
