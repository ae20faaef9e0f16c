import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { GatewayRequest } from "../../http/request/message.js";
import { toNodeListener } from "./node-listener.js";

const megabyte = 2 ** 20;
/**
 * 16 MB in UTF-8, with characters of more than one byte at every cut. The operating system's buffers hold less of it
 * for a client that reads nothing.
 */
const large = "ä€😀".repeat((16 * megabyte) / 9);

let server: Server | undefined;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** A live stream: it has no end. */
async function* endless() {
  yield "first";
  await new Promise(() => {});
}

async function serve(): Promise<number> {
  const headers = { "content-type": "text/plain; charset=utf-8" };
  const handle = async ({ path }: GatewayRequest) => ({
    ...{ status: 200, headers },
    body: path === "/live" ? endless() : large,
  });
  const gateway = { handle, serves: () => true };
  server = createServer(toNodeListener(gateway, { trustedProxies: 1 })).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function requestWithoutReading(
  port: number,
  { from = "192.0.2.1", paths = ["/"] } = {},
): Promise<Socket> {
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.pause();
  client.on("error", () => {});
  const requests = paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n\r\n`,
  );
  client.write(requests.join(""));
  await once(server as Server, "request");
  return client;
}

test("a large body arrives whole, with its length", async () => {
  const port = await serve();
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(large)));
  expect((await response.text()) === large).toBe(true);
});

test("clients that read nothing cannot make the process hold more than 64 MiB for them", async () => {
  const port = await serve();
  const sockets: Socket[] = [];
  server?.on("connection", (socket: Socket) => sockets.push(socket));
  for (let n = 0; n < 10; n++) await requestWithoutReading(port);
  // Four bodies fit. The oldest are disconnected; the newest are still being served.
  await expect.poll(() => sockets.filter((socket) => !socket.destroyed).length).toBe(4);
  expect(4 * Buffer.byteLength(large)).toBeLessThanOrEqual(64 * megabyte);
  expect(5 * Buffer.byteLength(large)).toBeGreaterThan(64 * megabyte);
  expect(sockets.at(-1)?.destroyed).toBe(false);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect((await response.text()) === large).toBe(true);
});

test("responses that wait behind a stream of their connection count, and their client is disconnected", async () => {
  const port = await serve();
  const sockets: Socket[] = [];
  server?.on("connection", (socket: Socket) => sockets.push(socket));
  await requestWithoutReading(port, { paths: ["/live", "/", "/", "/", "/", "/"] });
  await expect.poll(() => sockets[0]?.destroyed).toBe(true);
});

test("a client site with many unread bodies disconnects no other site", async () => {
  const port = await serve();
  const sockets: Socket[] = [];
  server?.on("connection", (socket: Socket) => sockets.push(socket));
  await requestWithoutReading(port, { from: "198.51.100.7" });
  for (let n = 0; n < 10; n++) await requestWithoutReading(port);
  await expect.poll(() => sockets.filter((socket) => socket.destroyed).length).toBeGreaterThan(4);
  expect(sockets[0]?.destroyed).toBe(false);
});
