import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createGateway, type Gateway, generateSecrets, type JsonBody } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { toExpressHandler } from "./express-handler.js";

/** Sends a chunked body through `express.json`. Returns what the gateway reads with a limit of 1,000 bytes. */
async function readChunked(body: string): Promise<JsonBody | undefined> {
  const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
  let read: JsonBody | undefined;
  const handle: Gateway["handle"] = async (request) => {
    read = await request.json(1_000);
    return { status: 200, headers: {}, body: "" };
  };
  const parser = express.json({ limit: "5mb" });
  const server = createServer(express().use(parser, toExpressHandler({ ...gateway, handle })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  socket.write(
    "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
  );
  socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  const [answer] = await once(socket, "data");
  // Anything else, such as an error of Express, means that the gateway did not read the body.
  expect(String(answer)).toMatch(/^HTTP\/1.1 200/);
  return read;
}

test("§9 a parsed body without a Content-Length is measured, in bytes", async () => {
  const small = { a: "é" };
  expect(await readChunked(JSON.stringify(small))).toEqual({
    kind: "value",
    value: small,
    length: 10,
  });
  expect(await readChunked(JSON.stringify({ a: "x".repeat(993) }))).toEqual({ kind: "too_large" });
  expect(await readChunked(JSON.stringify({ a: "é".repeat(500) }))).toEqual({ kind: "too_large" });
});

test("§9 a parsed body that is nested too deeply to be measured is too large", async () => {
  const depth = 100_000;
  expect(await readChunked("[".repeat(depth) + "]".repeat(depth))).toEqual({ kind: "too_large" });
});

test.each([
  ["json", express.json()],
  ["text", express.text({ type: "*/*" })],
  ["raw", express.raw({ type: "*/*" })],
])("an empty body behind express.%s is absent, as without a parser", async (_, parser) => {
  const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
  const read: JsonBody[] = [];
  const handle: Gateway["handle"] = async (request) => {
    read.push(await request.json(1_000));
    return { status: 200, headers: {}, body: "" };
  };
  const handlers = toExpressHandler({ ...gateway, handle });
  for (const app of [express().use(handlers), express().use(parser, handlers)]) {
    const server = createServer(app);
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const headers = { "content-type": "application/json", connection: "close" };
    await fetch(`http://127.0.0.1:${port}/healthz`, { method: "POST", headers, body: "" });
  }
  expect(read).toEqual([{ kind: "absent" }, { kind: "absent" }]);
});
