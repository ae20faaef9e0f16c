import { EventEmitter, once } from "node:events";
import { Agent, request as ask, createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { writeStream } from "./write-stream.js";

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** Sends two requests on one connection. The first is never answered, so the second waits. */
async function waitBehind() {
  const responses: ServerResponse[] = [];
  server = createServer((_, response) => void responses.push(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(request + request);
  await expect.poll(() => responses.length).toBe(2);
  const [first, waiting] = responses as [ServerResponse, ServerResponse];
  return { socket, first, waiting };
}

function createPieces() {
  let isEnded = false;
  async function* pieces() {
    try {
      for (;;) yield new Uint8Array(100_000);
    } finally {
      isEnded = true;
    }
  }
  return { pieces: pieces(), isEnded: () => isEnded };
}

test("a stream that waits for another response ends with its connection", async () => {
  const { socket, waiting } = await waitBehind();
  const { pieces, isEnded } = createPieces();
  const writing = writeStream(pieces, waiting);
  socket.destroy();
  await writing;
  expect(isEnded()).toBe(true);
});

test("a stream whose connection already ended is ended", async () => {
  const { socket, waiting } = await waitBehind();
  socket.destroy();
  await once(waiting.req.socket, "close");
  const { pieces, isEnded } = createPieces();
  await writeStream(pieces, waiting);
  expect(isEnded()).toBe(true);
});

test("a stream whose client takes nothing ends as soon as it is cut", async () => {
  const { waiting } = await waitBehind();
  const { pieces, isEnded } = createPieces();
  const cut = new AbortController();
  const writing = writeStream(pieces, waiting, { cut: cut.signal });
  await expect.poll(() => waiting.writableLength).toBeGreaterThan(0);
  cut.abort(new Error("cut"));
  await writing;
  expect([isEnded(), waiting.destroyed]).toEqual([true, true]);
});

test("the minute without progress begins when the responses before are sent", async () => {
  const { socket, first, waiting } = await waitBehind();
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString();
  });
  async function* text() {
    yield "x".repeat(100_000);
    yield "end of the second";
  }
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const writing = writeStream(text(), waiting);
  await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(10 * 60_000);
  vi.useRealTimers();
  expect(waiting.destroyed).toBe(false);
  first.end("first");
  await writing;
  await expect.poll(() => received).toContain("end of the second");
});

test("a stream that was cut before it started is not written", async () => {
  const { waiting } = await waitBehind();
  const { pieces } = createPieces();
  await writeStream(pieces, waiting, { cut: AbortSignal.abort() });
  expect(waiting.destroyed).toBe(true);
});

test("a complete response is not cut, because its connection may already have the next request", async () => {
  const cut = new AbortController();
  let reportEnd = () => {};
  const end = new Promise<void>((resolve) => {
    reportEnd = resolve;
  });
  async function* pieces() {
    yield new Uint8Array(10);
    // A storage that is slow to report its end.
    await end;
  }
  const cuts = [cut.signal];
  server = createServer((_, response) => {
    response.writeHead(200, { "content-length": "10" });
    void writeStream(pieces(), response, { cut: cuts.shift(), length: 10 });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = () =>
    new Promise<number>((resolve, reject) => {
      ask(url, { agent }, (response) => {
        let bytes = 0;
        response.on("data", (piece: Buffer) => {
          bytes += piece.length;
        });
        response.on("end", () => resolve(bytes)).on("error", reject);
      })
        .on("error", reject)
        .end();
    });
  expect(await get()).toBe(10);
  const second = get();
  cut.abort(new Error("cut"));
  await expect(second).resolves.toBe(10);
  reportEnd();
  agent.destroy();
});

test.each([16_384, 65_536, 1_000_000])(
  "a stream whose last piece fills the buffer goes on when all is sent (pieces of %i bytes)",
  async (size) => {
    let isFinished = false;
    async function* pieces() {
      yield new Uint8Array(size);
      yield new Uint8Array(size);
      isFinished = true;
    }
    server = createServer((_, response) => {
      response.writeHead(200, { "content-length": String(2 * size) });
      void writeStream(pieces(), response, { length: 2 * size });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect((await response.arrayBuffer()).byteLength).toBe(2 * size);
    await expect.poll(() => isFinished).toBe(true);
  },
);

test.each(["client", "server"])(
  "a stream whose connection the %s closes before all is sent does not go on",
  async (side) => {
    // More than the buffers of the operating system hold for a client that reads nothing.
    const size = 32 * 2 ** 20;
    const ends: string[] = [];
    async function* pieces() {
      try {
        yield new Uint8Array(size);
        ends.push("finished");
      } finally {
        ends.push("ended");
      }
    }
    const responses: ServerResponse[] = [];
    const writes: Promise<void>[] = [];
    server = createServer((_, response) => {
      responses.push(response);
      writes.push(writeStream(pieces(), response, { length: size }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => {}).pause();
    client.write(request);
    await expect.poll(() => responses[0]?.writableEnded).toBe(true);
    if (side === "client") client.destroy();
    else responses[0]?.req.socket.destroy();
    await Promise.all(writes);
    client.destroy();
    await expect.poll(() => ends).toEqual(["ended"]);
  },
);

test("a stream that is longer than its Content-Length ends with the announced byte", async () => {
  let isEnded = false;
  async function* pieces() {
    try {
      for (;;) yield "0123456789";
    } finally {
      isEnded = true;
    }
  }
  server = createServer((_, response) => {
    response.writeHead(200, { "content-length": "20" });
    void writeStream(pieces(), response, { length: 20 });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(await response.text()).toBe("01234567890123456789");
  await expect.poll(() => isEnded).toBe(true);
});

test("no listener stays on another emitter to which middleware such as compression moves those of drain", async () => {
  const other = new EventEmitter();
  let drains = 0;
  async function* pieces() {
    for (let n = 0; n < 20; n++) yield new Uint8Array(100_000);
  }
  server = createServer((_, response) => {
    const on = response.on.bind(response);
    on("drain", () => {
      drains += 1;
      other.emit("drain");
    });
    Object.assign(response, {
      on: (kind: string, listener: () => void) =>
        kind === "drain" ? other.on(kind, listener) : on(kind, listener),
    });
    void writeStream(pieces(), response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect((await response.arrayBuffer()).byteLength).toBe(2_000_000);
  expect(drains).toBeGreaterThan(0);
  await expect.poll(() => other.eventNames()).toEqual([]);
});

test("a stream that fails to end causes no unhandled rejection, which would end the process", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  const { socket, waiting } = await waitBehind();
  let done = false;
  const leave = async () => {
    done = true;
    throw new Error("The storage is gone.");
  };
  const next = async () => ({ done, value: new Uint8Array(100_000) }) as IteratorResult<Uint8Array>;
  const writing = writeStream({ [Symbol.asyncIterator]: () => ({ next, return: leave }) }, waiting);
  socket.destroy();
  await writing;
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toBe(true);
  expect(unhandled).not.toHaveBeenCalled();
});

test("a client gets the pieces before the one at which a stream breaks off, so that it can resume after them", async () => {
  async function* broken() {
    yield new Uint8Array(60_000);
    throw new Error("broken");
  }
  server = createServer((_, response) => {
    // As after work of a few promises.
    void Promise.resolve().then(async () => {
      response.writeHead(200, { "content-length": 200_000 });
      await writeStream(broken(), response, { length: 200_000 });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let bytes = 0;
  socket.on("data", (data) => {
    bytes += data.length;
  });
  socket.write(request);
  await once(socket, "close");
  expect(bytes).toBeGreaterThan(60_000);
});
