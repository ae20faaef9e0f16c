import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { GatewayRequest, GatewayResponse } from "../../http/request/message.js";
import { toNodeListener } from "./node-listener.js";

let server: Server;
let handle: (request: GatewayRequest) => Promise<GatewayResponse>;
const sockets: Socket[] = [];

beforeEach(async () => {
  const gateway = { handle: (request: GatewayRequest) => handle(request), serves: () => true };
  server = createServer(toNodeListener(gateway)).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

function open(head: string): Socket {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(head);
  sockets.push(socket);
  return socket;
}
const plain = { status: 200, headers: {}, body: "" };

/** Makes the handler read an upload to its end. `result` is the received bytes, or why the upload broke off. */
function readUploads() {
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const result = new Promise<number | string>((resolve) => {
    handle = async (request) => {
      start();
      let bytes = 0;
      try {
        for await (const piece of request.stream()) bytes += piece.length;
        resolve(bytes);
      } catch (fault) {
        resolve((fault as Error).name);
      }
      return plain;
    };
  });
  return { started, result };
}

test("§8 an upload arrives in pieces, and its connection accepts the next request", async () => {
  const read = readUploads();
  const socket = open("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
  setImmediate(() => socket.write("def"));
  expect(await read.result).toBe(6);
  await once(socket, "data");
  const again = readUploads();
  socket.write(
    "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
  );
  expect(await again.result).toBe(2);
});

test("§8 an upload is aborted if its client disconnects", async () => {
  const read = readUploads();
  const socket = open("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
  // A request whose client disconnects before its turn is not started.
  await read.started;
  socket.destroy();
  expect(await read.result).toBe("BrokenBodyError");
});

test("§9 an upload that sends nothing for 60 s breaks off and gets a response", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const read = readUploads();
  const socket = open("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
  await read.started;
  await untilQuiet({ pieces: 1 });
  vi.advanceTimersByTime(59_000);
  socket.write("d");
  await untilQuiet({ pieces: 1 });
  vi.advanceTimersByTime(59_000);
  socket.write("e");
  await untilQuiet({ pieces: 1 });
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect(await read.result).toBe("BrokenBodyError");
  expect(String((await once(socket, "data"))[0])).toContain("HTTP/1.1 200");
});

test("§9 the rest of a body that is not read to its end is discarded, and the request gets a response", async () => {
  handle = async (request) => {
    for await (const _ of request.stream()) break;
    return plain;
  };
  const socket = open("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n");
  socket.write(Buffer.alloc(300_000));
  expect(String((await once(socket, "data"))[0])).toContain("HTTP/1.1 200");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  handle = async () => plain;
  expect(String((await once(socket, "data"))[0])).toContain("HTTP/1.1 200");
});

/** Responds with pieces without end. Reports how many were read, when the stream ended, and why. */
function answerWithoutEnd() {
  const seen = { pieces: 0, ended: false, reason: "" };
  handle = async () => {
    async function* pieces() {
      try {
        for (;;) {
          seen.pieces += 1;
          yield new Uint8Array(65_536);
        }
      } catch (fault) {
        seen.reason = (fault as Error).name;
      } finally {
        seen.ended = true;
      }
    }
    return { status: 200, headers: {}, body: pieces() };
  };
  return seen;
}

/** Waits until no more pieces are read: the client has received them, or the buffers are full. */
async function untilQuiet(seen: { readonly pieces: number }): Promise<void> {
  for (let before = -1, quiet = 0; quiet < 50; before = seen.pieces) {
    quiet = seen.pieces === before && before > 0 ? quiet + 1 : 0;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

test("§6 a client that takes nothing is sent no more than fits into the buffers", async () => {
  const seen = answerWithoutEnd();
  const socket = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.pause();
  await untilQuiet(seen);
  // The loopback device buffers some megabytes. The server keeps nothing beyond them.
  expect(seen.pieces * 65_536).toBeLessThan(32_000_000);
  socket.destroy();
  await expect.poll(() => seen.ended).toBe(true);
});

test("§9 a client that takes nothing for 60 s is disconnected", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const seen = answerWithoutEnd();
  const requests: IncomingMessage[] = [];
  server.on("request", (request) => requests.push(request));
  const socket = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.pause();
  // The buffers of a busy machine can take more later. The minute begins again then.
  let [pieces, seconds] = [0, 0];
  for (;;) {
    await untilQuiet(seen);
    if (seen.ended) break;
    if (seen.pieces !== pieces) [pieces, seconds] = [seen.pieces, 0];
    vi.advanceTimersByTime(1_000);
    seconds += 1;
  }
  expect(seconds).toBe(60);
  await expect.poll(() => requests[0]?.destroyed).toBe(true);
  expect(seen.reason).toBe("CutStreamError");
});
