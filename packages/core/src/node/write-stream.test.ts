import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { writeStream } from "./write-stream.js";

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** Two requests in a row on one connection: the first is never answered, the second waits behind it. */
async function waitBehind() {
  const responses: ServerResponse[] = [];
  server = createServer((_, response) => void responses.push(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(request + request);
  await expect.poll(() => responses.length).toBe(2);
  return { socket, waiting: responses[1] as ServerResponse };
}

function createPieces() {
  let isLetGo = false;
  async function* pieces() {
    try {
      for (;;) yield new Uint8Array(100_000);
    } finally {
      isLetGo = true;
    }
  }
  return { pieces: pieces(), isLetGo: () => isLetGo };
}

test("an answer that waits behind another is let go of when the connection ends", async () => {
  const { socket, waiting } = await waitBehind();
  const { pieces, isLetGo } = createPieces();
  const writing = writeStream(pieces, waiting);
  socket.destroy();
  await writing;
  expect(isLetGo()).toBe(true);
});

test("so is one whose connection has ended before", async () => {
  const { socket, waiting } = await waitBehind();
  socket.destroy();
  await once(waiting.req.socket, "close");
  const { pieces, isLetGo } = createPieces();
  await writeStream(pieces, waiting);
  expect(isLetGo()).toBe(true);
});

test("an answer whose client takes nothing ends as soon as it is cut", async () => {
  const { waiting } = await waitBehind();
  const { pieces, isLetGo } = createPieces();
  const cut = new AbortController();
  const writing = writeStream(pieces, waiting, cut.signal);
  await expect.poll(() => waiting.writableLength).toBeGreaterThan(0);
  cut.abort(new Error("cut"));
  await writing;
  expect([isLetGo(), waiting.destroyed]).toEqual([true, true]);
});

test("one that was cut before it began is not written", async () => {
  const { waiting } = await waitBehind();
  const { pieces } = createPieces();
  await writeStream(pieces, waiting, AbortSignal.abort());
  expect(waiting.destroyed).toBe(true);
});
