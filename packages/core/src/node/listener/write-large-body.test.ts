import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
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

async function serve(): Promise<number> {
  const headers = { "content-type": "text/plain; charset=utf-8" };
  const handle = async () => ({ status: 200, headers, body: large });
  server = createServer(toNodeListener({ handle, serves: () => true })).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function requestWithoutReading(port: number): Promise<Socket> {
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.pause();
  client.on("error", () => {});
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
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
  // The oldest are disconnected; the newest are still being served.
  await expect.poll(() => sockets.filter((socket) => socket.destroyed).length).toBeGreaterThan(4);
  expect(sockets.at(-1)?.destroyed).toBe(false);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect((await response.text()) === large).toBe(true);
});
