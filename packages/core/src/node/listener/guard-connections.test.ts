import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  echo,
  echoLater,
  get,
  numbers,
  paths,
  post,
  type Started,
  urls,
  useGuardedServer,
} from "../testing/guarded-server.js";
import { guardConnections, guardRequest, turnOfSite } from "./guard-connections.js";

const guarded = useGuardedServer();

/** Holds the event loop for a millisecond. */
const echoSlowly: RequestListener = (request, response) => {
  const end = performance.now() + 1;
  while (performance.now() < end);
  echo(request, response);
};

test("3,000 pipelined requests of a client that reads nothing: at most one is started, and it is disconnected", async () => {
  const { started, connection } = await guarded.open((_, response) => {
    setImmediate(() => response.end("x".repeat(1_000_000)));
  });
  guarded.client.pause().write(
    numbers(3_000)
      .map((n) => get(n))
      .join(""),
  );
  await once(connection, "close");
  // The first one may wait for its turn too.
  expect(started.length).toBeLessThanOrEqual(1);
});

test("eight requests of a connection are started, the others in order as responses are sent", async () => {
  const { started, parsed } = await guarded.open();
  const received = guarded.receive();
  guarded.client.write(
    numbers(20)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(parsed).toBe(20);
  await expect.poll(() => urls(started)).toEqual(paths(8));
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
    if (guarded.server.listening) setImmediate(count);
  };
  const turns: number[] = [];
  await guarded.open((request, response) => {
    turns.push(turn);
    echoSlowly(request, response);
  });
  count();
  const received = guarded.receive();
  guarded.client.write(
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
  const { started } = await guarded.open(echoSlowly, { trustedProxies: 1 });
  const { port } = guarded.server.address() as AddressInfo;
  const sockets = numbers(64).map(() => connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const [n, socket] of sockets.entries()) {
    socket.write(get(n, "X-Forwarded-For: 203.0.113.7\r\n"));
  }
  guarded.client.write(get("other", "X-Forwarded-For: 203.0.113.8\r\n"));
  await expect.poll(() => started.length).toBe(65);
  // The site started some when they arrived, and some in each turn before the event loop read the sockets again.
  expect(urls(started).indexOf("/other")).toBeLessThan(32);
  for (const socket of sockets) socket.destroy();
});

test("a response that waits for an earlier one counts as in flight", async () => {
  const { started, parsed } = await guarded.open();
  guarded.client.write(
    numbers(9)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(parsed).toBe(9);
  await expect.poll(() => started.length).toBe(8);
  for (const { response } of started.slice(1)) response.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toHaveLength(8);
  started[0]?.response.end();
  await expect.poll(() => started.length).toBe(9);
});

test("nothing is read from a connection while requests are queued, then reading goes on", async () => {
  const { started, parsed } = await guarded.open(undefined, { inFlight: 1 });
  const received = guarded.receive();
  guarded.client.write(get(0) + get(1) + get(2));
  await expect.poll(parsed).toBe(3);
  guarded.client.write(get(3));
  // Another connection's whole exchange takes longer than this one's next chunk would.
  const { port } = guarded.server.address() as AddressInfo;
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
  const { started } = await guarded.open(
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
  const received = guarded.receive();
  const text = numbers(12)
    .map((n) => post(n, String(n).padStart(30_000, "-")))
    .join("");
  const cuts = [10, 40_000, 40_001, 100_000, 250_000, 300_000, text.length];
  let from = 0;
  for (const to of cuts) {
    guarded.client.write(text.slice(from, to));
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
  const { started } = await guarded.open(echoLater, { inFlight: 1 });
  const received = guarded.receive();
  guarded.client.write(
    numbers(6)
      .map((n) => post(n, "x".repeat(200_000)))
      .join(""),
  );
  await expect.poll(received.echoes).toEqual(paths(6));
  expect(started).toHaveLength(6);
});

test("a connection that is reused request by request is never held", async () => {
  const { started, connection } = await guarded.open(echo);
  const received = guarded.receive();
  for (const n of numbers(50)) {
    guarded.client.write(n % 2 === 0 ? get(n) : post(n, "body"));
    await received.untilEchoes(n + 1);
  }
  expect(started).toHaveLength(50);
  // One listener is Node's. The queue adds another if a request had to wait for its site.
  expect(connection.listenerCount("resume")).toBeLessThanOrEqual(2);
  expect(started.every(({ response }) => response.listenerCount("finish") <= 2)).toBe(true);
});

test("many bursts of pipelined requests on one connection leave no listeners behind", async () => {
  const { started, connection } = await guarded.open(echoLater);
  const received = guarded.receive();
  for (const n of numbers(30)) {
    guarded.client.write(
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

test("a guard inside another one counts a request once", async () => {
  const inner = guardConnections(echoLater, { inFlight: 1 });
  await guarded.open((request, response) => void setImmediate(() => inner(request, response)), {
    inFlight: 3,
  });
  const received = guarded.receive();
  guarded.client.write(
    numbers(20)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(received.echoes).toEqual(paths(20));
});

test("requests that reach the guard in another order are all answered", async () => {
  const listener = guardConnections(echoLater, { inFlight: 2 });
  const held: (() => void)[] = [];
  await guarded.listen((request, response) => {
    if (request.url === "/0") response.once("close", () => {});
    held.push(() => (request.url === "/0" ? echo : listener)(request, response));
  });
  const received = guarded.receive();
  guarded.client.write(
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
  const listener = guardConnections(
    (request, response) => {
      seen.push([request.url, contexts.getStore()]);
      echoLater(request, response);
    },
    { inFlight: 1 },
  );
  await guarded.listen((request, response) => {
    contexts.run(request.url, () => listener(request, response));
  });
  const received = guarded.receive();
  guarded.client.write(
    numbers(4)
      .map((n) => get(n))
      .join(""),
  );
  await expect.poll(received.echoes).toEqual(paths(4));
  expect(seen).toEqual(paths(4).map((path) => [path, path]));
  contexts.disable();
});

test("a request with two Host headers is refused, and its connection closed", async () => {
  const { started } = await guarded.open(echo);
  const received = guarded.receive();
  guarded.client.write(get(0) + get(1, "hOST: y\r\n") + get(2));
  await once(guarded.client, "close");
  expect(received.text().match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  expect(received.text()).toContain("Send one Host header.");
  expect(urls(started)).toEqual(["/0"]);
});

/** Passes a request of a client to the guard. */
function ask(address: string, handle: () => void): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, {
    httpVersionMajor: 1,
    headers: { host: "x", "x-forwarded-for": address },
  });
  guardRequest(request, new ServerResponse(request), handle, { trustedProxies: 1 });
  return request;
}

test("a request during fake timers does not stop the requests after them", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [during, after] = [vi.fn(), vi.fn()];
  ask("203.0.113.1", during);
  expect(during).toHaveBeenCalledOnce();
  await new Promise<void>((resolve) => setImmediate(resolve));
  vi.useRealTimers();
  // More requests than one turn starts.
  for (let n = 0; n < 64; n += 1) ask("203.0.113.1", () => {});
  ask("203.0.113.1", after);
  await expect.poll(() => after).toHaveBeenCalledOnce();
});

test("a site that ran for long goes on with a request only after a rest, while another site is active", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const short = ask("203.0.113.1", () => {});
  await turn();
  const long = ask("203.0.113.2", () => vi.advanceTimersByTime(2));
  await turn();
  let isOver = false;
  const going = turnOfSite(long).then(() => {
    isOver = true;
  });
  await turnOfSite(short);
  await turn();
  expect(isOver).toBe(false);
  vi.advanceTimersByTime(6);
  await going;
});
