import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import {
  echo,
  echoLater,
  get,
  numbers,
  paths,
  post,
  urls,
  useGuardedServer,
} from "../testing/guarded-server.js";

const guarded = useGuardedServer();

test("a queued HEAD request gets no body", async () => {
  await guarded.open(echoLater, { inFlight: 1 });
  const received = guarded.receive();
  guarded.client.write(get(0) + get(1).replace("GET", "HEAD") + get(2));
  await expect.poll(received.echoes).toEqual(["/0", "/2"]);
  expect(received.text().match(/HTTP\/1.1 200/g)).toHaveLength(3);
});

test("a queued request that expects 100 Continue gets it before its response", async () => {
  const { parsed } = await guarded.open(
    (request, response) => {
      request.resume().on("end", () => echo(request, response));
    },
    { inFlight: 1 },
  );
  const received = guarded.receive();
  const head = post(2, "body").replace("\r\n\r\nbody", "\r\nExpect: 100-continue\r\n\r\n");
  guarded.client.write(get(0) + get(1) + head);
  await expect.poll(parsed).toBe(3);
  await expect.poll(received.text).toContain("100 Continue");
  guarded.client.write("body");
  await expect.poll(received.echoes).toEqual(["/0", "/1", "/2"]);
});

test("with Connection: close after queued requests, each is answered before the connection ends", async () => {
  await guarded.open(echoLater, { inFlight: 1 });
  const received = guarded.receive();
  guarded.client.write(get(0) + get(1) + get(2, "Connection: close\r\n"));
  await once(guarded.client, "close");
  expect(received.echoes()).toEqual(paths(3));
});

test("after a response that closes the connection, no queued request is started", async () => {
  const { started, parsed } = await guarded.open(undefined, { inFlight: 1 });
  guarded.client.resume().write(get(0) + get(1) + get(2));
  await expect.poll(parsed).toBe(3);
  started[0]?.response.setHeader("connection", "close").end();
  await once(guarded.client, "close");
  expect(urls(started)).toEqual(["/0"]);
});

test("queued requests of a client that disconnected are never started", async () => {
  const { started, parsed, connection } = await guarded.open(undefined, { inFlight: 2 });
  guarded.client.write(
    numbers(5)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(parsed).toBe(5);
  guarded.client.destroy();
  // The server does not read: it notices the end when it writes.
  started[0]?.response.write("x".repeat(10_000_000));
  await new Promise((resolve) => connection.once("close", resolve));
  for (const { response } of started) response.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(urls(started)).toEqual(["/0", "/1"]);
});

test("a server that destroys the connection starts none of the requests in the chunk", async () => {
  const { started, connection } = await guarded.open((request) => request.socket.destroy());
  guarded.client.write(
    numbers(20)
      .map((n) => get(n))
      .join(""),
  );
  await once(connection, "close");
  expect(urls(started)).toEqual(["/0"]);
});

test("an upgrade behind queued requests reaches its listener", async () => {
  const { parsed } = await guarded.open(echoLater, { inFlight: 1 });
  const upgraded = once(guarded.server, "upgrade");
  guarded.server.on("upgrade", (_, socket) => void socket.on("error", () => {}));
  guarded.client.resume();
  guarded.client.write(get(0) + get(1) + get(2, "Connection: upgrade\r\nUpgrade: websocket\r\n"));
  const [request] = (await upgraded) as [IncomingMessage];
  expect([request.url, parsed()]).toEqual(["/2", 2]);
});
