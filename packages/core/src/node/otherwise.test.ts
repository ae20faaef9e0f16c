import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createMemoryStore } from "@device-gateway/store-memory";
import express from "express";
import fastify from "fastify";
import Koa from "koa";
import { expect, onTestFinished, test } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway } from "../gateway.js";
import { toNodeListener } from "./listener/node-listener.js";

async function listen(otherwise: RequestListener) {
  const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
  const server = createServer(toNodeListener(gateway, { otherwise })).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Apps that return the body of POST /echo. */
const apps: Record<string, () => RequestListener | Promise<RequestListener>> = {
  Express: () =>
    express().post(
      "/echo",
      express.json(),
      (request, response) => void response.json(request.body),
    ),
  Koa: () => {
    const app = new Koa();
    app.use(async (context) => {
      const pieces: Buffer[] = [];
      if (context.path !== "/echo") return;
      for await (const piece of context.req) pieces.push(piece as Buffer);
      context.body = Buffer.concat(pieces);
    });
    const handle = app.callback();
    return (request, response) => void handle(request, response);
  },
  Fastify: async () => {
    const app = fastify();
    app.post("/echo", async (request) => request.body);
    await app.ready();
    return app.routing;
  },
};

test.each(Object.entries(apps))(
  "%s answers what the gateway does not serve, and the gateway all else",
  async (_name, createApp) => {
    const port = await listen(await createApp());
    const call = async (path: string, method = "GET", body?: string) => {
      const headers = { "content-type": "application/json" };
      const init = { method, headers, ...(body !== undefined && { body }) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      return { status: response.status, text: await response.text() };
    };
    expect(await call("/echo?x=/healthz", "POST", '{"n":1}')).toEqual({
      status: 200,
      text: '{"n":1}',
    });
    expect((await call("/elsewhere")).status).toBe(404);
    expect((await call("/healthz?from=probe")).text).toContain("ok");
    // The gateway reads the body itself: a parser of the app never sees it.
    const login = await call("/api/v1/device/login", "POST", '{"deviceId":"gw-1"}');
    expect(login.status).toBe(400);
    expect(JSON.parse(login.text)).toMatchObject({ code: "invalid_request" });
    expect(JSON.parse((await call("/api/v1/nowhere")).text)).toMatchObject({ code: "not_found" });
  },
);

test("a Fastify server serves a gateway through its option serverFactory, and ends both", async () => {
  const gateway = await createGateway({ store: createMemoryStore(), secrets: generateSecrets() });
  const app = fastify({
    serverFactory: (otherwise) => createServer(toNodeListener(gateway, { otherwise })),
  });
  app.get("/about", async () => "about");
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  expect(await (await fetch(`${url}/about`)).text()).toBe("about");
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/api/v1/telemetry`, { method: "POST" })).status).toBe(401);
  await app.close();
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
});

test("the other listener's connections are guarded like the gateway's", async () => {
  const open: (() => void)[] = [];
  const port = await listen((_request, response) => {
    open.push(() => response.end());
  });
  const talk = (text: string) => {
    const client = connect(port, "127.0.0.1").setEncoding("utf8");
    onTestFinished(() => void client.destroy());
    client.write(text);
    return client;
  };
  for (const path of ["/page", "/healthz"]) {
    const [answer] = await once(talk(`GET ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`), "data");
    expect(answer, path).toMatch(/^HTTP\/1.1 400/);
  }
  expect(open).toHaveLength(0);
  await once(talk("GET /page HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100)), "close");
  // The first one may wait for its turn too.
  expect(open.length).toBeLessThanOrEqual(1);
});
