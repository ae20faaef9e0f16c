import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { guardConnections } from "./guard-connections.js";

let server: Server | undefined;
let client: Socket;
afterEach(() => {
  client.destroy();
  server?.closeAllConnections();
  server?.close();
});

interface Started {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: string | undefined;
}

/** Creates a client of a guarded listener, with a list of what the listener was started with. */
async function open(listener: RequestListener = () => {}, limits = {}) {
  const started: Started[] = [];
  const guarded = guardConnections((request, response) => {
    started.push({ request, response, url: request.url });
    listener(request, response);
  }, limits);
  let parsed = 0;
  server = createServer(guarded).listen(0, "127.0.0.1");
  server.prependListener("request", () => {
    parsed += 1;
  });
  await once(server, "listening");
  const connected = once(server, "connection");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  const [connection] = (await connected) as [Socket];
  return { started, connection, parsed: () => parsed };
}

const get = (path: number | string, more = "") => `GET /${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (path: number | string, body: string) =>
  `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const urls = (started: readonly Started[]) => started.map(({ url }) => url);
const paths = (count: number) => numbers(count).map((n) => `/${n}`);

/** Collects what the client receives: the paths that were echoed, in order. */
function receive() {
  let text = "";
  client.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const echoes = (): string[] => text.match(/(?<=<)[^>]*(?=>)/g) ?? [];
  return {
    text: () => text,
    echoes,
    async untilEchoes(count: number) {
      while (echoes().length < count) await once(client, "data");
    },
  };
}
const echo: RequestListener = (request, response) => void response.end(`<${request.url}>`);
/** Holds the event loop for a millisecond. */
const echoSlowly: RequestListener = (request, response) => {
  const end = performance.now() + 1;
  while (performance.now() < end);
  echo(request, response);
};
const echoLater: RequestListener = (request, response) =>
  void setImmediate(() => echo(request, response));

test("3,000 pipelined requests of a client that reads nothing: one is started, and it is disconnected", async () => {
  const { started, connection } = await open((_, response) => {
    setImmediate(() => response.end("x".repeat(1_000_000)));
  });
  client.pause().write(
    numbers(3_000)
      .map((n) => get(n))
      .join(""),
  );
  await once(connection, "close");
  expect(urls(started)).toEqual(paths(1));
});

test("eight requests of a connection are started, the others in order as responses are sent", async () => {
  const { started, parsed } = await open();
  const received = receive();
  client.write(
    numbers(20)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(parsed).toBe(20);
  expect(urls(started)).toEqual(paths(8));
  for (let sent = 0; sent < 20; sent++) {
    await expect.poll(() => started.length).toBe(Math.min(20, sent + 8));
    const { response, url } = started[sent] as Started;
    response.end(`<${url}>`);
  }
  await expect.poll(received.echoes).toEqual(paths(20));
  expect(urls(started)).toEqual(paths(20));
});

test("a turn starts only some of the queued requests, so that other connections get theirs", async () => {
  let turn = 0;
  const count = () => {
    turn += 1;
    if (server?.listening) setImmediate(count);
  };
  const turns: number[] = [];
  await open((request, response) => {
    turns.push(turn);
    echoSlowly(request, response);
  });
  count();
  const received = receive();
  client.write(
    numbers(40)
      .map((n) => post(n, "body"))
      .join(""),
  );
  await received.untilEchoes(40);
  for (const one of new Set(turns)) {
    expect(turns.filter((other) => other === one).length).toBeLessThanOrEqual(8);
  }
});

test("another site does not wait for the requests of a site with many connections", async () => {
  const { started } = await open(echoSlowly, { trustedProxies: 1 });
  const { port } = (server as Server).address() as AddressInfo;
  const sockets = numbers(64).map(() => connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const [n, socket] of sockets.entries()) {
    socket.write(get(n, "X-Forwarded-For: 203.0.113.7\r\n"));
  }
  client.write(get("other", "X-Forwarded-For: 203.0.113.8\r\n"));
  await expect.poll(() => started.length).toBe(65);
  // The site started some when they arrived, and some in each turn before the event loop read the sockets again.
  expect(urls(started).indexOf("/other")).toBeLessThan(32);
  for (const socket of sockets) socket.destroy();
});

test("a response that waits for an earlier one counts as in flight", async () => {
  const { started, parsed } = await open();
  client.write(
    numbers(9)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(parsed).toBe(9);
  for (const { response } of started.slice(1)) response.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toHaveLength(8);
  started[0]?.response.end();
  await expect.poll(() => started.length).toBe(9);
});

test("nothing is read from a connection while requests are queued, then reading goes on", async () => {
  const { started, parsed } = await open(undefined, { inFlight: 1 });
  const received = receive();
  client.write(get(0) + get(1) + get(2));
  await expect.poll(parsed).toBe(3);
  client.write(get(3));
  // Another connection's whole exchange takes longer than this one's next chunk would.
  const { port } = (server as Server).address() as AddressInfo;
  const other = fetch(`http://127.0.0.1:${port}/other`);
  await expect.poll(() => started.length).toBe(2);
  started[1]?.response.end();
  await (await other).text();
  expect(parsed()).toBe(4);
  for (const at of [0, 2, 3, 4]) {
    await expect.poll(() => started.length).toBeGreaterThan(at);
    const { response, url } = started[at] as Started;
    response.end(`<${url}>`);
  }
  await expect.poll(received.echoes).toEqual(paths(4));
});

test("a pipelined request whose body comes in pieces is read whole", async () => {
  const bodies: string[] = [];
  const { started } = await open(
    (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        bodies.push(body);
        setImmediate(() => echo(request, response));
      });
    },
    { inFlight: 2 },
  );
  const received = receive();
  const text = numbers(12)
    .map((n) => post(n, String(n).padStart(30_000, "-")))
    .join("");
  const cuts = [10, 40_000, 40_001, 100_000, 250_000, 300_000, text.length];
  let from = 0;
  for (const to of cuts) {
    client.write(text.slice(from, to));
    from = to;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(received.echoes).toEqual(paths(12));
  expect(bodies.map((body) => [body.length, Number(body.replaceAll("-", ""))])).toEqual(
    numbers(12).map((n) => [30_000, n]),
  );
  expect(started).toHaveLength(12);
});

test("a body that nobody reads does not stop the requests behind it", async () => {
  const { started } = await open(echoLater, { inFlight: 1 });
  const received = receive();
  client.write(
    numbers(6)
      .map((n) => post(n, "x".repeat(200_000)))
      .join(""),
  );
  await expect.poll(received.echoes).toEqual(paths(6));
  expect(started).toHaveLength(6);
});

test("a connection that is reused request by request is never held", async () => {
  const { started, connection } = await open(echo);
  const received = receive();
  for (const n of numbers(50)) {
    client.write(n % 2 === 0 ? get(n) : post(n, "body"));
    await received.untilEchoes(n + 1);
  }
  expect(started).toHaveLength(50);
  expect(connection.listenerCount("resume")).toBeLessThanOrEqual(1);
  expect(started.every(({ response }) => response.listenerCount("finish") <= 2)).toBe(true);
});

test("many bursts of pipelined requests on one connection leave no listeners behind", async () => {
  const { started, connection } = await open(echoLater);
  const received = receive();
  for (const n of numbers(30)) {
    client.write(
      numbers(20)
        .map((m) => get(n * 20 + m))
        .join(""),
    );
    await received.untilEchoes((n + 1) * 20);
  }
  expect(urls(started)).toEqual(paths(600));
  expect(received.echoes()).toEqual(paths(600));
  for (const event of ["resume", "close", "drain", "pause"]) {
    expect(connection.listenerCount(event), event).toBeLessThan(6);
  }
});

test("a queued HEAD request gets no body", async () => {
  await open(echoLater, { inFlight: 1 });
  const received = receive();
  client.write(get(0) + get(1).replace("GET", "HEAD") + get(2));
  await expect.poll(received.echoes).toEqual(["/0", "/2"]);
  expect(received.text().match(/HTTP\/1.1 200/g)).toHaveLength(3);
});

test("a queued request that expects 100 Continue gets it before its response", async () => {
  const { parsed } = await open(
    (request, response) => {
      request.resume().on("end", () => echo(request, response));
    },
    { inFlight: 1 },
  );
  const received = receive();
  const head = post(2, "body").replace("\r\n\r\nbody", "\r\nExpect: 100-continue\r\n\r\n");
  client.write(get(0) + get(1) + head);
  await expect.poll(parsed).toBe(3);
  await expect.poll(received.text).toContain("100 Continue");
  client.write("body");
  await expect.poll(received.echoes).toEqual(["/0", "/1", "/2"]);
});

test("with Connection: close after queued requests, each is answered before the connection ends", async () => {
  await open(echoLater, { inFlight: 1 });
  const received = receive();
  client.write(get(0) + get(1) + get(2, "Connection: close\r\n"));
  await once(client, "close");
  expect(received.echoes()).toEqual(paths(3));
});

test("after a response that closes the connection, no queued request is started", async () => {
  const { started, parsed } = await open(undefined, { inFlight: 1 });
  client.resume().write(get(0) + get(1) + get(2));
  await expect.poll(parsed).toBe(3);
  started[0]?.response.setHeader("connection", "close").end();
  await once(client, "close");
  expect(urls(started)).toEqual(["/0"]);
});

test("queued requests of a client that disconnected are never started", async () => {
  const { started, parsed, connection } = await open(undefined, { inFlight: 2 });
  client.write(
    numbers(5)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(parsed).toBe(5);
  client.destroy();
  // The server does not read: it notices the end when it writes.
  started[0]?.response.write("x".repeat(10_000_000));
  await new Promise((resolve) => connection.once("close", resolve));
  for (const { response } of started) response.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(urls(started)).toEqual(["/0", "/1"]);
});

test("a server that destroys the connection starts none of the requests in the chunk", async () => {
  const { started, connection } = await open((request) => request.socket.destroy());
  client.write(
    numbers(20)
      .map((n) => get(n))
      .join(""),
  );
  await once(connection, "close");
  expect(urls(started)).toEqual(["/0"]);
});

test("an upgrade behind queued requests reaches its listener", async () => {
  const { parsed } = await open(echoLater, { inFlight: 1 });
  const upgraded = once(server as Server, "upgrade");
  (server as Server).on("upgrade", (_, socket) => void socket.on("error", () => {}));
  client.resume();
  client.write(get(0) + get(1) + get(2, "Connection: upgrade\r\nUpgrade: websocket\r\n"));
  const [request] = (await upgraded) as [IncomingMessage];
  expect([request.url, parsed()]).toEqual(["/2", 2]);
});

test("a guard inside another one counts a request once", async () => {
  const inner = guardConnections(echoLater, { inFlight: 1 });
  await open((request, response) => void setImmediate(() => inner(request, response)), {
    inFlight: 3,
  });
  const received = receive();
  client.write(
    numbers(20)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(received.echoes).toEqual(paths(20));
});

test("requests that reach the guard in another order are all answered", async () => {
  const guarded = guardConnections(echoLater, { inFlight: 2 });
  const held: (() => void)[] = [];
  server = createServer((request, response) => {
    if (request.url === "/0") response.once("close", () => {});
    held.push(() => (request.url === "/0" ? echo : guarded)(request, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const received = receive();
  client.write(
    numbers(8)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(() => held.length).toBe(8);
  for (const go of held.reverse()) go();
  await expect.poll(received.echoes).toEqual(paths(8));
});

test("a queued request runs in its own asynchronous context", async () => {
  const contexts = new AsyncLocalStorage<string | undefined>();
  const seen: [string | undefined, string | undefined][] = [];
  const guarded = guardConnections(
    (request, response) => {
      seen.push([request.url, contexts.getStore()]);
      echoLater(request, response);
    },
    { inFlight: 1 },
  );
  server = createServer((request, response) => {
    contexts.run(request.url, () => guarded(request, response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const received = receive();
  client.write(
    numbers(4)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(received.echoes).toEqual(paths(4));
  expect(seen).toEqual(paths(4).map((path) => [path, path]));
});

test("a request with two Host headers is refused, and its connection closed", async () => {
  const { started } = await open(echo);
  const received = receive();
  client.write(get(0) + get(1, "hOST: y\r\n") + get(2));
  await once(client, "close");
  expect(received.text().match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  expect(received.text()).toContain("Send one Host header.");
  expect(urls(started)).toEqual(["/0"]);
});
