import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createGateway, type Gateway, generateSecrets } from "@device-gateway/core";
import { guardConnections, toNodeListener } from "@device-gateway/core/node";
import { createMemoryStore } from "@device-gateway/store-memory";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { toExpressHandler } from "./express-handler.js";

/** Creates a gateway that counts its requests, and how many run at the same time. */
async function createCountedGateway() {
  const store = createMemoryStore();
  const scryptCost = { logN: 4, r: 8, p: 1 };
  // These tests send more than an unclaimed device may.
  const limits = { unclaimedBytesPerMinute: 0 };
  const gateway = await createGateway({ store, secrets: generateSecrets(), scryptCost, limits });
  const counts = { handled: 0, atOnce: 0, mostAtOnce: 0 };
  const handle: Gateway["handle"] = async (request) => {
    counts.handled += 1;
    counts.atOnce += 1;
    counts.mostAtOnce = Math.max(counts.mostAtOnce, counts.atOnce);
    try {
      return await gateway.handle(request);
    } finally {
      counts.atOnce -= 1;
    }
  };
  return { gateway: { ...gateway, handle }, counts, store };
}

async function connectTo(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const register = async () => {
    const body = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/device/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, claimCode: "ABCD-EFGH" }),
    });
    return ((await answer.json()) as { token: string }).token;
  };
  return { client, register, server };
}

const listeners: Record<string, (gateway: Gateway) => RequestListener> = {
  "node listener": (gateway) => toNodeListener(gateway),
  Express: (gateway) => express().use(toExpressHandler(gateway)),
  "Express behind an asynchronous middleware": (gateway) =>
    express()
      .use((_request, _response, next) => setImmediate(next))
      .use(toExpressHandler(gateway)),
  "guarded Express": (gateway) => guardConnections(express().use(toExpressHandler(gateway))),
  "guarded Express with a body parser": (gateway) =>
    guardConnections(express().use(express.json({ limit: "300kb" }), toExpressHandler(gateway))),
};

for (const [name, toListener] of Object.entries(listeners)) {
  test(`${name}: at most eight of 3,000 pipelined requests are handled if the client reads no response`, async () => {
    const { gateway, counts } = await createCountedGateway();
    const { client, server } = await connectTo(toListener(gateway));
    const [connection] = await once(server, "connection");
    client.pause();
    client.write("GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3_000));
    await once(connection, "close");
    expect(counts.handled).toBeLessThanOrEqual(8);
    expect((await gateway.handle(plain("/healthz"))).status).toBe(200);
  });

  test(`${name}: pipelined bodies that arrive in pieces are stored once each and answered in order`, async () => {
    const { gateway, counts, store } = await createCountedGateway();
    const { client, register } = await connectTo(toListener(gateway));
    const token = await register();
    const total = 60;
    const head = `POST /api/v1/telemetry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const request = (n: number) => {
      const body = JSON.stringify({ n, text: "x".repeat(20_000) });
      return `${head}X-Request-Id: ${n}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    let received = "";
    client.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    const text = Array.from({ length: total }, (_, n) => request(n)).join("");
    for (let at = 0; at < text.length; at += 13_579) {
      client.write(text.slice(at, at + 13_579));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const sent = Array.from({ length: total }, (_, n) => n);
    const answered = () => received.match(/(?<=^x-request-id: )\S+(?=\r\n)/gim)?.map(Number);
    await expect.poll(answered).toEqual(sent);
    expect(new Set(received.match(/(?<=HTTP\/1.1 )\d+/g))).toEqual(new Set(["200"]));
    expect(counts.mostAtOnce).toBeLessThanOrEqual(8);
    const records = await store.telemetry.read({ deviceId: "gw-1", after: 0, limit: 100 });
    const stored = records.map(({ value }) => value["n"]).sort((a, b) => Number(a) - Number(b));
    expect(stored).toEqual(sent);
  });
}

test("every listener rejects a request with two Host headers", async () => {
  for (const [name, toListener] of Object.entries(listeners)) {
    const { gateway } = await createCountedGateway();
    const { client } = await connectTo(toListener(gateway));
    client.write("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n");
    const [answer] = (await once(client, "data")) as [Buffer];
    expect(answer.toString(), name).toMatch(/^HTTP\/1.1 400 /);
  }
});

const plain = (path: string) => ({
  ...{ method: "GET", path, query: "", clientAddress: null },
  header: () => undefined,
  json: async () => ({ kind: "absent" as const }),
  async *stream() {},
});
